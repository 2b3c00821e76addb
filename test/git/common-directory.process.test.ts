import { mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { commonDirectoryAt } from "../../src/git/common-directory.ts";
import { openGit } from "../../src/git/open-git.ts";
import { GIT_ENV, git } from "../support/git.ts";
import { commitAll, freshRepository } from "../support/git-repository.ts";
import { tempDirectory } from "../support/temp-directory.ts";

let repository: string;

beforeEach(() => {
  repository = freshRepository();
  commitAll(repository);
});

/** Work trees as git makes them: each gives its top. */
const layouts: Readonly<Record<string, () => string>> = {
  "a clone": () => repository,
  "a worktree": () => {
    const tree = join(tempDirectory(), "tree");
    git(repository, "worktree", "add", "-q", tree);
    return tree;
  },
  "a git directory that lies apart": () => {
    const apart = join(tempDirectory(), "apart");
    git(repository, "init", "-q", "--separate-git-dir", apart);
    return repository;
  },
  "a git directory behind a link": () => {
    const elsewhere = join(tempDirectory(), "elsewhere");
    renameSync(join(repository, ".git"), elsewhere);
    symlinkSync(elsewhere, join(repository, ".git"));
    return repository;
  },
  "a submodule": () => {
    const outer = freshRepository();
    git(outer, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", repository, "inner");
    return join(outer, "inner");
  },
  "a worktree of a submodule": () => {
    const tree = join(tempDirectory(), "tree");
    git(layouts["a submodule"]?.() ?? "", "worktree", "add", "-q", tree);
    return tree;
  },
};

describe.each(Object.entries(layouts))("%s", (_what, make) => {
  test("has its configuration where git says", () => {
    const top = make();
    expect(commonDirectoryAt(top)).toBe(git(top, "rev-parse", "--path-format=absolute", "--git-common-dir"));
  });

  test("has it there also when something in it says otherwise, and git takes it from there", async () => {
    const top = make();
    const common = commonDirectoryAt(top);
    const commit = git(top, "rev-parse", "HEAD");
    const evil = freshRepository();
    git(evil, "config", "evil.marker", "sprung");
    writeFileSync(join(git(top, "rev-parse", "--absolute-git-dir"), "commondir"), join(evil, ".git"));
    expect(git(top, "config", "evil.marker")).toBe("sprung");
    expect(commonDirectoryAt(top)).toBe(common);
    const ours = openGit({ directory: top, env: GIT_ENV });
    expect(await ours.run(["config", "evil.marker"])).toMatchObject({ exit_code: 1, stdout: "" });
    expect(await ours.run(["cat-file", "-t", commit])).toMatchObject({ stdout: "commit\n" });
  });
});

test("what is no work tree has none", () => {
  const directory = tempDirectory();
  expect(commonDirectoryAt(directory)).toBeUndefined();
  mkdirSync(join(directory, ".git"));
  expect(commonDirectoryAt(directory)).toBeUndefined();
});
