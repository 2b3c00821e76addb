import { chmodSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import type { Git } from "../../src/git/git.ts";
import { openGit } from "../../src/git/open-git.ts";
import type { PageState } from "../../src/job/decide.ts";
import { GitHeadPages, type GitHeadPagesOptions } from "../../src/pages/git-head-pages.ts";
import { GIT_ENV, git } from "../support/git.ts";
import { bareRepository, cloneOf, commitAll, freshRepository, writeIn } from "../support/git-repository.ts";
import { jobErrorFrom } from "../support/job-error-of.ts";
import { tempDirectory } from "../support/temp-directory.ts";

const PAGE = "harbor-page-0001";

function pagesOf(directory: string, options: Partial<GitHeadPagesOptions> = {}): GitHeadPages {
  return new GitHeadPages({ git: openGit({ directory, env: GIT_ENV }), pagesDirectory: "p", ...options });
}

async function stateOf(
  directory: string,
  address = PAGE,
  options: Partial<GitHeadPagesOptions> = {},
): Promise<PageState | undefined> {
  return (await (await pagesOf(directory, options).atHead()).states([address])).get(address);
}

/** A git that counts its calls by their first word. */
function counted(directory: string): { git: Git; calls: string[] } {
  const git = openGit({ directory, env: GIT_ENV });
  const calls: string[] = [];
  return {
    calls,
    git: {
      run: (args, options) => {
        calls.push(args[0] ?? "");
        return git.run(args, options);
      },
      converse: (args) => {
        calls.push(args[0] ?? "");
        return git.converse(args);
      },
      runNow: (args, input) => git.runNow(args, input),
    },
  };
}

describe("with no remote, a page is durable as a non-empty regular file in the local HEAD commit", () => {
  let repository: string;
  beforeEach(() => {
    repository = freshRepository();
    writeIn(repository, "README.md", "A fleet.\n");
    commitAll(repository);
  });

  test("committed", async () => {
    writeIn(repository, `p/${PAGE}.md`, "Done.\n");
    commitAll(repository);
    expect(await stateOf(repository)).toBe("durable");
  });

  test("committed and executable", async () => {
    writeIn(repository, `p/${PAGE}.md`, "Done.\n");
    chmodSync(join(repository, `p/${PAGE}.md`), 0o755);
    commitAll(repository);
    expect(await stateOf(repository)).toBe("durable");
  });

  test("committed, and since then gone from the work tree and the index", async () => {
    writeIn(repository, `p/${PAGE}.md`, "Done.\n");
    commitAll(repository);
    git(repository, "rm", "--quiet", `p/${PAGE}.md`);
    expect(await stateOf(repository)).toBe("durable");
  });

  test.each<[string, () => void]>([
    ["nowhere", () => undefined],
    ["only in the work tree", () => writeIn(repository, `p/${PAGE}.md`, "Done.\n")],
    [
      "only in the index",
      () => {
        writeIn(repository, `p/${PAGE}.md`, "Done.\n");
        git(repository, "add", "--all");
      },
    ],
    [
      "empty",
      () => {
        writeIn(repository, `p/${PAGE}.md`, "");
        commitAll(repository);
      },
    ],
    [
      "emptied by a later commit",
      () => {
        writeIn(repository, `p/${PAGE}.md`, "Done.\n");
        commitAll(repository);
        writeIn(repository, `p/${PAGE}.md`, "");
        commitAll(repository);
      },
    ],
    [
      "removed by a later commit",
      () => {
        writeIn(repository, `p/${PAGE}.md`, "Done.\n");
        commitAll(repository);
        git(repository, "rm", "--quiet", `p/${PAGE}.md`);
        commitAll(repository);
      },
    ],
    [
      "on another branch",
      () => {
        git(repository, "checkout", "--quiet", "-b", "other");
        writeIn(repository, `p/${PAGE}.md`, "Done.\n");
        commitAll(repository);
        git(repository, "checkout", "--quiet", "main");
      },
    ],
    [
      "a symlink to a page",
      () => {
        writeIn(repository, "p/another-page-01.md", "Done.\n");
        symlinkSync("another-page-01.md", join(repository, `p/${PAGE}.md`));
        commitAll(repository);
      },
    ],
    [
      "a directory",
      () => {
        writeIn(repository, `p/${PAGE}.md/index.md`, "Done.\n");
        commitAll(repository);
      },
    ],
    [
      "in another directory",
      () => {
        writeIn(repository, `${PAGE}.md`, "Done.\n");
        writeIn(repository, `docs/p/${PAGE}.md`, "Done.\n");
        commitAll(repository);
      },
    ],
    [
      "of another case",
      () => {
        writeIn(repository, `p/${PAGE.toUpperCase()}.md`, "Done.\n");
        commitAll(repository);
      },
    ],
    [
      "a submodule",
      () => {
        const commit = git(repository, "rev-parse", "HEAD");
        git(repository, "update-index", "--add", "--cacheinfo", `160000,${commit},p/${PAGE}.md`);
        git(repository, "commit", "--quiet", "-m", "A submodule");
      },
    ],
  ])("not %s", async (_where, arrange) => {
    arrange();
    expect(await stateOf(repository)).toBe("absent");
  });

  test("every address that is asked is answered from one reading of the tree", async () => {
    writeIn(repository, `p/${PAGE}.md`, "Done.\n");
    commitAll(repository);
    const { git, calls } = counted(repository);
    const head = await pagesOf("", { git }).atHead();
    const before = calls.length;
    expect([...(await head.states([PAGE, "harbor-page-0002", PAGE]))]).toEqual([
      [PAGE, "durable"],
      ["harbor-page-0002", "absent"],
    ]);
    expect(calls.slice(before)).toEqual(["rev-parse", "cat-file"]);
  });

  test("more than 500 addresses are too", async () => {
    const ids = Array.from({ length: 700 }, (_, i) => `harbor-page-${String(i).padStart(5, "0")}`);
    for (const id of ids.filter((_, i) => i % 2 === 0)) writeIn(repository, `p/${id}.md`, "Done.\n");
    writeIn(repository, `p/${ids[1]}.md`, "");
    commitAll(repository);
    const { git, calls } = counted(repository);
    const head = await pagesOf("", { git }).atHead();
    const before = calls.length;
    const states = await head.states(ids);
    expect([...states.values()]).toEqual(ids.map((_, i) => (i % 2 === 0 ? "durable" : "absent")));
    expect(calls.slice(before)).toEqual(["rev-parse", "cat-file"]);
  });

  test("an answer is pinned to the commit that HEAD was when it was resolved", async () => {
    const head = await pagesOf(repository).atHead();
    writeIn(repository, `p/${PAGE}.md`, "Done.\n");
    commitAll(repository);
    expect((await head.states([PAGE])).get(PAGE)).toBe("absent");
    expect(await stateOf(repository)).toBe("durable");
  });

  test("a detached HEAD is a HEAD", async () => {
    writeIn(repository, `p/${PAGE}.md`, "Done.\n");
    commitAll(repository);
    git(repository, "checkout", "--quiet", "--detach");
    expect(await stateOf(repository)).toBe("durable");
  });

  test("a fleet in a subdirectory has its pages beside it", async () => {
    writeIn(repository, `fleet/p/${PAGE}.md`, "Done.\n");
    commitAll(repository);
    expect(await stateOf(join(repository, "fleet"))).toBe("durable");
    expect(await stateOf(repository)).toBe("absent");
  });

  test.each(["p/", "./p", "docs/p", "docs//p/", "."])("a pages directory may be spelled %s", async (pagesDirectory) => {
    for (const directory of ["", "p/", "docs/p/"]) writeIn(repository, `${directory}${PAGE}.md`, "Done.\n");
    commitAll(repository);
    expect(await stateOf(repository, PAGE, { pagesDirectory })).toBe("durable");
    const many = Array.from({ length: 501 }, (_, i) => `harbor-page-${i + 9000}`);
    const states = await (await pagesOf(repository, { pagesDirectory }).atHead()).states([...many, PAGE]);
    expect([...states].filter(([, state]) => state === "durable")).toEqual([[PAGE, "durable"]]);
  });
});

test("a repository without a commit holds no page", async () => {
  const repository = freshRepository();
  writeIn(repository, `p/${PAGE}.md`, "Done.\n");
  expect(await stateOf(repository)).toBe("absent");
});

describe("with a remote, its head counts", () => {
  let remote: string;
  let writer: string;
  beforeEach(() => {
    remote = bareRepository();
    writer = cloneOf(remote);
    writeIn(writer, "README.md", "A fleet.\n");
    commitAll(writer);
    git(writer, "push", "--quiet", "origin", "HEAD:main");
  });

  function pushPage(address = PAGE, branch = "main"): void {
    writeIn(writer, `p/${address}.md`, "Done.\n");
    commitAll(writer);
    git(writer, "push", "--quiet", "origin", `HEAD:${branch}`);
  }

  test("what is committed and not pushed is not there", async () => {
    writeIn(writer, `p/${PAGE}.md`, "Done.\n");
    commitAll(writer);
    expect(await stateOf(writer)).toBe("absent");
    git(writer, "push", "--quiet", "origin", "HEAD:main");
    expect(await stateOf(writer)).toBe("durable");
  });

  test("a checkout behind its remote sees what the remote has, and is not moved", async () => {
    const stale = cloneOf(remote);
    const before = git(stale, "for-each-ref");
    pushPage();
    expect(await stateOf(stale)).toBe("durable");
    expect(git(stale, "for-each-ref")).toBe(before);
    expect(git(stale, "status", "--porcelain")).toBe("");
  });

  test("a page that the remote has lost meanwhile is not there", async () => {
    pushPage();
    const stale = cloneOf(remote);
    git(writer, "rm", "--quiet", `p/${PAGE}.md`);
    commitAll(writer);
    git(writer, "push", "--quiet", "origin", "HEAD:main");
    expect(await stateOf(stale)).toBe("absent");
  });

  test("a --depth 1 clone sees it, also when its remote moved on", async () => {
    pushPage();
    const shallow = cloneOf(remote, "--depth", "1");
    expect(git(shallow, "rev-parse", "--is-shallow-repository")).toBe("true");
    expect(await stateOf(shallow)).toBe("durable");
    pushPage("harbor-page-0002");
    pushPage("harbor-page-0003");
    expect(await stateOf(shallow, "harbor-page-0003")).toBe("durable");
    expect(await stateOf(shallow, PAGE)).toBe("durable");
  });

  test("a --filter=blob:none clone sees it without fetching what the page says", async () => {
    pushPage();
    expect(await stateOf(cloneOf(remote, "--filter=blob:none", "--no-checkout"))).toBe("durable");
  });

  test("on its default branch, whichever branch is checked out", async () => {
    pushPage();
    const elsewhere = cloneOf(remote);
    git(elsewhere, "checkout", "--quiet", "-b", "work", "HEAD~1");
    expect(await stateOf(elsewhere)).toBe("durable");
  });

  test("on git.pages_branch where that is named", async () => {
    pushPage(PAGE, "pages");
    const reader = cloneOf(remote);
    expect(await stateOf(reader)).toBe("absent");
    expect(await stateOf(reader, PAGE, { branch: "pages" })).toBe("durable");
  });

  test.each([
    ["not there", () => undefined],
    ["a tag", () => git(writer, "push", "--quiet", "origin", "HEAD:refs/tags/pages")],
    ["the end of a longer branch's name", () => pushPage(PAGE, "x/pages")],
    ["the end of another ref's name", () => pushPage(PAGE, "refs/backup/refs/heads/pages")],
    [
      "deleted",
      () => {
        pushPage(PAGE, "pages");
        git(writer, "push", "--quiet", "origin", ":pages");
      },
    ],
  ])("a pages_branch that is %s cannot answer, and is named", async (_what, arrange) => {
    arrange();
    expect(await jobErrorFrom(() => stateOf(writer, PAGE, { branch: "pages" }))).toMatchObject({
      code: "TRUTH_UNAVAILABLE",
      message: expect.stringContaining('no branch "pages"'),
    });
  });

  test.each(["refs/remotes/origin/HEAD", "refs/backup/HEAD"])("the remote's HEAD is not its %s", async (ref) => {
    const head = git(writer, "rev-parse", "HEAD");
    pushPage();
    git(writer, "push", "--quiet", "origin", `HEAD:${ref}`, `+${head}:main`);
    expect(await stateOf(cloneOf(remote))).toBe("absent");
  });

  test("a commit that a replace ref of this clone puts in the place of the remote's head is not it", async () => {
    const head = git(writer, "rev-parse", "origin/main");
    writeIn(writer, `p/${PAGE}.md`, "Forged.\n");
    commitAll(writer);
    git(writer, "replace", head, git(writer, "rev-parse", "HEAD"));
    expect(await stateOf(writer)).toBe("absent");
  });

  test("HEAD is resolved once for all questions of a pass", async () => {
    const { git, calls } = counted(writer);
    const head = await pagesOf("", { git }).atHead();
    await head.states([PAGE]);
    await head.states(["harbor-page-0002"]);
    expect(calls.filter((call) => call === "ls-remote")).toHaveLength(1);
  });

  test("a remote that config names is asked, not origin", async () => {
    pushPage();
    const reader = cloneOf(bareRepository());
    git(reader, "remote", "add", "upstream", `file://${remote}`);
    expect(await stateOf(reader, PAGE, { remote: "upstream" })).toBe("durable");
    expect(await stateOf(reader)).toBe("absent");
  });

  test("an empty remote holds no page, and that is an answer", async () => {
    const reader = cloneOf(bareRepository());
    writeIn(reader, `p/${PAGE}.md`, "Done.\n");
    commitAll(reader);
    expect(await stateOf(reader)).toBe("absent");
  });

  test("a remote that has branches but does not say which is its default cannot answer", async () => {
    pushPage();
    git(writer, "push", "--quiet", "origin", "HEAD:refs/heads/trunk");
    git(remote, "update-ref", "-d", "refs/heads/main");
    expect(await jobErrorFrom(() => stateOf(writer))).toMatchObject({
      code: "TRUTH_UNAVAILABLE",
      message: expect.stringContaining("git.pages_branch"),
    });
    expect(await stateOf(writer, PAGE, { branch: "trunk" })).toBe("durable");
  });
});

describe("TRUTH_UNAVAILABLE, with what to do", () => {
  async function complaint(directory: string, options: Partial<GitHeadPagesOptions> = {}): Promise<string> {
    const error = await jobErrorFrom(() => stateOf(directory, PAGE, options));
    expect(error.code).toBe("TRUTH_UNAVAILABLE");
    expect(error.message).toContain("Nothing was changed");
    return error.message;
  }

  test("outside a git repository", async () => {
    expect(await complaint(tempDirectory())).toContain("not a git repository");
  });

  test("where git cannot be run", async () => {
    const directory = freshRepository();
    const git = openGit({ directory, env: { ...GIT_ENV, PATH: "/nowhere" } });
    await complaint(directory, { git });
  });

  test("for a remote that is gone", async () => {
    const remote = bareRepository();
    const reader = cloneOf(remote);
    rmSync(remote, { recursive: true });
    expect(await complaint(reader)).toContain("see whether git ls-remote origin works");
  });

  test.each([
    "https://robot:s3cret-token@127.0.0.1:9/fleet.git",
    "https://s3cret-token@127.0.0.1:9/fleet.git",
    "https://robot:s3cret@token@127.0.0.1:9/fleet.git",
  ])("for a remote that does not answer, without the credentials in its address: %s", async (url) => {
    const repository = freshRepository();
    commitAll(repository);
    git(repository, "remote", "add", "origin", url);
    const message = await complaint(repository);
    expect(message).toContain("127.0.0.1");
    expect(message).not.toMatch(/s3cret|token/);
  });

  test("for remotes of which none is origin", async () => {
    const repository = freshRepository();
    writeIn(repository, `p/${PAGE}.md`, "Done.\n");
    commitAll(repository);
    git(repository, "remote", "add", "upstream", `file://${bareRepository()}`);
    expect(await complaint(repository)).toContain("git.remote in harness-wake.json");
  });

  test("for a remote that config names and that is not there", async () => {
    const repository = freshRepository();
    expect(await complaint(repository, { remote: "upstream" })).toContain('there is no remote "upstream"');
  });
});
