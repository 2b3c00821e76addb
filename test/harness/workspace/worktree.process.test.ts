import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { git } from "../../support/git.ts";
import { cloneOf, commitAll, freshRepository, writeIn } from "../../support/git-repository.ts";
import { tempDirectory } from "../../support/temp-directory.ts";
import { fleetAt, type WorktreeFleet, worktreeFleet } from "../../support/worktree-fleet.ts";

function worktreesOf({ checkout }: WorktreeFleet): readonly string[] {
  return git(checkout, "worktree", "list", "--porcelain")
    .split("\n")
    .filter((line) => line.startsWith("worktree "));
}

describe("a run gets a worktree of its own", () => {
  test("which is the remote's head, whatever the checkout is at", async () => {
    const fleet = await worktreeFleet();
    const other = cloneOf(fleet.remote);
    writeIn(other, "news.md", "pushed by somebody else\n");
    commitAll(other, "news");
    git(other, "push", "-q", "origin", "HEAD:main");
    writeIn(fleet.checkout, "README.md", "not committed\n");
    const { directory } = await fleet.open();
    expect(git(directory, "rev-parse", "HEAD")).toBe(git(other, "rev-parse", "HEAD"));
    expect(git(directory, "branch", "--show-current")).toBe("");
    expect(readFileSync(join(directory, "README.md"), "utf8")).toBe("a fleet\n");
    expect(git(directory, "status", "--porcelain")).toBe("");
  });

  test("without running the owner's hooks", async () => {
    const fleet = await worktreeFleet();
    const ran = join(tempDirectory(), "ran");
    writeFileSync(join(fleet.checkout, ".git/hooks/post-checkout"), `#!/bin/sh\ntouch ${ran}\n`, { mode: 0o755 });
    await fleet.open();
    expect(existsSync(ran)).toBe(false);
  });

  test("also in a shallow clone, and where there is no remote", async () => {
    const { remote } = await worktreeFleet();
    const shallow = await (await fleetAt(cloneOf(remote, "--depth", "1"), remote)).open();
    expect(existsSync(join(shallow.directory, "README.md"))).toBe(true);
    const alone = freshRepository();
    commitAll(alone);
    const { directory } = await (await fleetAt(alone, "")).open();
    expect(git(directory, "rev-parse", "HEAD")).toBe(git(alone, "rev-parse", "HEAD"));
  });

  test("or is told why not, and leaves nothing behind", async () => {
    const empty = freshRepository();
    const fleet = await fleetAt(empty, "");
    await expect(fleet.open()).rejects.toMatchObject({ code: "CONFIG", message: expect.stringContaining("no commit") });
    const broken = await worktreeFleet({ "README.md": "text\n", ".gitattributes": "*.md filter=broken\n" });
    git(broken.checkout, "config", "filter.broken.smudge", "false");
    git(broken.checkout, "config", "filter.broken.required", "true");
    await expect(broken.open()).rejects.toMatchObject({
      code: "IO",
      message: expect.stringMatching(/a worktree cannot be made there: .*filter/),
    });
    expect(readdirSync(broken.parent)).toEqual([]);
    expect(worktreesOf(broken)).toHaveLength(1);
  });
});

describe("afterwards the worktree is removed where nobody will miss anything of it", () => {
  const leaves: Readonly<Record<string, (directory: string) => void>> = {
    "nothing at all": () => undefined,
    "what git ignores": (directory) => writeIn(directory, "build/out.o", "x"),
    "directories that may not be written": (directory) => {
      writeIn(directory, "build/cache/deep/file", "x");
      for (const part of ["build/cache/deep", "build/cache"]) chmodSync(join(directory, part), 0o555);
    },
    "a commit that it pushed": (directory) => {
      writeIn(directory, "p/page.md", "done\n");
      commitAll(directory);
      git(directory, "push", "-q", "origin", "HEAD:main");
    },
    "a branch that it pushed under another name": (directory) => {
      git(directory, "checkout", "-q", "-b", "fix");
      writeIn(directory, "fix.md", "done\n");
      commitAll(directory);
      git(directory, "push", "-q", "origin", "fix:proposed");
    },
    "no directory any more": (directory) => rmSync(directory, { recursive: true }),
  };
  test.each(Object.entries(leaves))("when the run left %s", async (_what, leave) => {
    const fleet = await worktreeFleet({ "README.md": "a fleet\n", ".gitignore": "build/\n" });
    const workspace = await fleet.open();
    leave(workspace.directory);
    expect(await workspace.close()).toEqual({ state: "removed", warnings: [] });
    expect(worktreesOf(fleet)).toHaveLength(1);
    expect(readdirSync(fleet.parent)).toEqual([]);
    expect(git(fleet.checkout, "status", "--porcelain")).toBe("");
  });

  test("when a clone that follows one branch alone pushed another", async () => {
    const { remote } = await worktreeFleet();
    const fleet = await fleetAt(cloneOf(remote, "--depth", "1"), remote);
    const workspace = await fleet.open();
    leaves["a branch that it pushed under another name"]?.(workspace.directory);
    expect(await workspace.close()).toMatchObject({ state: "removed" });
  });

  test("and files that a filter of the owner's filled are not read again", async () => {
    const log = join(tempDirectory(), "cleaned");
    const filter = { "filter.fat.smudge": "sed s/pointer/contents/", "filter.fat.clean": `tee -a ${log}` };
    const fleet = await worktreeFleet({ "big.bin": "pointer\n" });
    writeIn(fleet.checkout, ".gitattributes", "*.bin filter=fat\n");
    commitAll(fleet.checkout);
    git(fleet.checkout, "push", "-q", "origin", "main");
    for (const [name, value] of Object.entries(filter)) git(fleet.checkout, "config", name, value);
    const workspace = await fleet.open();
    expect(readFileSync(join(workspace.directory, "big.bin"), "utf8")).toBe("contents\n");
    expect(await workspace.close()).toMatchObject({ state: "removed" });
    expect(existsSync(log)).toBe(false);
  });

  test("other worktrees of the owner's stay known, also one whose disk is not there today", async () => {
    const fleet = await worktreeFleet();
    const elsewhere = join(tempDirectory(), "elsewhere");
    git(fleet.checkout, "worktree", "add", "-q", elsewhere, "-b", "own");
    rmSync(elsewhere, { recursive: true });
    await (await fleet.open()).close();
    expect(worktreesOf(fleet)).toContain(`worktree ${elsewhere}`);
  });
});

describe("the worktree is kept, and named with the reason", () => {
  const leaves: Readonly<Record<string, readonly [(directory: string) => void, RegExp]>> = {
    "a changed file": [(directory) => writeIn(directory, "README.md", "changed\n"), /not committed: README\.md$/],
    "a new file": [(directory) => writeIn(directory, "notes/new.md", "x"), /not committed: notes\/$/],
    "a file gone": [(directory) => rmSync(join(directory, "README.md")), /README\.md/],
    "many files": [(directory) => "abcdefgh".split("").map((name) => writeIn(directory, name, "")), /: a, b, c, d, e, …$/],
    "a commit that no remote has": [(directory) => commitAll(directory), /^it is at [0-9a-f]{12}, which no remote has$/],
    "a branch that no remote has": [
      (directory) => {
        git(directory, "checkout", "-q", "-b", "mine");
        commitAll(directory);
      },
      /no remote has/,
    ],
    "a pushed commit and more": [
      (directory) => {
        writeIn(directory, "one.md", "pushed\n");
        commitAll(directory);
        git(directory, "push", "-q", "origin", "HEAD:main");
        writeIn(directory, "one.md", "changed again\n");
      },
      /not committed: one\.md$/,
    ],
    "a repository of its own inside": [(directory) => git(directory, "clone", "-q", directory, "inner"), /inner\//],
  };
  test.each(Object.entries(leaves))("where the run left %s", async (_what, [leave, why]) => {
    const fleet = await worktreeFleet();
    const workspace = await fleet.open();
    leave(workspace.directory);
    const { directory } = workspace;
    expect(await workspace.close()).toEqual({ state: "kept", directory, why: expect.stringMatching(why), warnings: [] });
    expect(worktreesOf(fleet)).toHaveLength(2);
    expect(readdirSync(fleet.parent)).toEqual(["fix-it-01-a01"]);
  });

  test("where a file was changed at once, to as many bytes, and its time set back", async () => {
    const fleet = await worktreeFleet({ "README.md": "a fleet\n" });
    const workspace = await fleet.open();
    const file = join(workspace.directory, "README.md");
    const { atime, mtime } = statSync(file);
    writeFileSync(file, "a FLEET\n");
    utimesSync(file, atime, mtime);
    expect(await workspace.close()).toMatchObject({ state: "kept", why: expect.stringContaining("README.md") });
  });

  test("where the remote cannot be asked whether it has a commit", async () => {
    const fleet = await worktreeFleet();
    const workspace = await fleet.open();
    commitAll(workspace.directory);
    rmSync(fleet.remote, { recursive: true });
    expect(await workspace.close()).toMatchObject({ state: "kept", why: expect.stringContaining("no remote has") });
  });

  test("where a submodule was filled, in which git would have to look", async () => {
    const inner = freshRepository();
    commitAll(inner);
    const fleet = await worktreeFleet();
    git(fleet.checkout, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner, "inner");
    commitAll(fleet.checkout);
    git(fleet.checkout, "push", "-q", "origin", "main");
    const untouched = await fleet.open();
    expect(await untouched.close()).toMatchObject({ state: "removed" });
    const filled = await fleet.open();
    git(filled.directory, "-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init");
    expect(await filled.close()).toMatchObject({ state: "kept", why: expect.stringMatching(/inner$/) });
  });
});

test("a sha256 repository's worktrees are looked at as well", async () => {
  const checkout = tempDirectory();
  git(checkout, "init", "-q", "-b", "main", "--object-format=sha256");
  writeIn(checkout, "README.md", "text\n");
  commitAll(checkout);
  const fleet = await fleetAt(checkout, "");
  const [first, second] = [await fleet.open(), await fleet.open()];
  writeIn(second.directory, "README.md", "changed\n");
  expect(await first.close()).toMatchObject({ state: "removed" });
  expect(await second.close()).toMatchObject({ state: "kept" });
});

test("several worktrees are made at once", async () => {
  const fleet = await worktreeFleet();
  const opened = await Promise.all([fleet.open(), fleet.open(), fleet.open()]);
  expect(new Set(opened.map(({ directory }) => directory)).size).toBe(3);
  for (const workspace of opened) expect(await workspace.close()).toMatchObject({ state: "removed" });
});

test("a large index in several files is understood", async () => {
  const fleet = await worktreeFleet({ "README.md": "a fleet\n" }, { "core.splitIndex": "true", "core.untrackedCache": "true" });
  const workspace = await fleet.open();
  git(workspace.directory, "update-index", "--split-index");
  expect(await workspace.close()).toMatchObject({ state: "removed" });
});
