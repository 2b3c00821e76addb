import { chmodSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Git, openGit } from "../../src/git/git.ts";
import type { PageState } from "../../src/job/decide.ts";
import { GitHeadPages, type GitHeadPagesOptions } from "../../src/pages/git-head-pages.ts";
import { GIT_TEST_ENV, type GitRepository, GitSandbox, runGit } from "../support/git-repository.ts";
import { jobErrorFrom } from "../support/job-error-of.ts";

const PAGE = "harbor-page-0001";

let sandbox: GitSandbox;
beforeEach(() => {
  sandbox = new GitSandbox();
});
afterEach(() => sandbox.remove());

function pagesOf(directory: string, options: Partial<GitHeadPagesOptions> = {}): GitHeadPages {
  return new GitHeadPages({ git: openGit({ directory, env: GIT_TEST_ENV }), pagesDirectory: "p", ...options });
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
  const git = openGit({ directory, env: GIT_TEST_ENV });
  const calls: string[] = [];
  return {
    calls,
    git: {
      run: (args, input) => {
        calls.push(args[0] ?? "");
        return git.run(args, input);
      },
    },
  };
}

describe("with no remote, a page is durable as a non-empty regular file in the local HEAD commit", () => {
  let repository: GitRepository;
  beforeEach(() => {
    repository = sandbox.init();
    repository.write("README.md", "A fleet.\n");
    repository.commitAll();
  });

  test("committed", async () => {
    repository.write(`p/${PAGE}.md`, "Done.\n");
    repository.commitAll();
    expect(await stateOf(repository.directory)).toBe("durable");
  });

  test("committed and executable", async () => {
    repository.write(`p/${PAGE}.md`, "Done.\n");
    chmodSync(join(repository.directory, `p/${PAGE}.md`), 0o755);
    repository.commitAll();
    expect(await stateOf(repository.directory)).toBe("durable");
  });

  test("committed, and since then gone from the work tree and the index", async () => {
    repository.write(`p/${PAGE}.md`, "Done.\n");
    repository.commitAll();
    repository.git("rm", "--quiet", `p/${PAGE}.md`);
    expect(await stateOf(repository.directory)).toBe("durable");
  });

  test.each<[string, () => void]>([
    ["nowhere", () => undefined],
    ["only in the work tree", () => repository.write(`p/${PAGE}.md`, "Done.\n")],
    [
      "only in the index",
      () => {
        repository.write(`p/${PAGE}.md`, "Done.\n");
        repository.git("add", "--all");
      },
    ],
    [
      "empty",
      () => {
        repository.write(`p/${PAGE}.md`, "");
        repository.commitAll();
      },
    ],
    [
      "emptied by a later commit",
      () => {
        repository.write(`p/${PAGE}.md`, "Done.\n");
        repository.commitAll();
        repository.write(`p/${PAGE}.md`, "");
        repository.commitAll();
      },
    ],
    [
      "removed by a later commit",
      () => {
        repository.write(`p/${PAGE}.md`, "Done.\n");
        repository.commitAll();
        repository.git("rm", "--quiet", `p/${PAGE}.md`);
        repository.commitAll();
      },
    ],
    [
      "on another branch",
      () => {
        repository.git("checkout", "--quiet", "-b", "other");
        repository.write(`p/${PAGE}.md`, "Done.\n");
        repository.commitAll();
        repository.git("checkout", "--quiet", "main");
      },
    ],
    [
      "a symlink to a page",
      () => {
        repository.write("p/another-page-01.md", "Done.\n");
        symlinkSync("another-page-01.md", join(repository.directory, `p/${PAGE}.md`));
        repository.commitAll();
      },
    ],
    [
      "a directory",
      () => {
        repository.write(`p/${PAGE}.md/index.md`, "Done.\n");
        repository.commitAll();
      },
    ],
    [
      "in another directory",
      () => {
        repository.write(`${PAGE}.md`, "Done.\n");
        repository.write(`docs/p/${PAGE}.md`, "Done.\n");
        repository.commitAll();
      },
    ],
    [
      "of another case",
      () => {
        repository.write(`p/${PAGE.toUpperCase()}.md`, "Done.\n");
        repository.commitAll();
      },
    ],
    [
      "a submodule",
      () => {
        const commit = repository.git("rev-parse", "HEAD");
        repository.git("update-index", "--add", "--cacheinfo", `160000,${commit},p/${PAGE}.md`);
        repository.git("commit", "--quiet", "-m", "A submodule");
      },
    ],
  ])("not %s", async (_where, arrange) => {
    arrange();
    expect(await stateOf(repository.directory)).toBe("absent");
  });

  test("every address that is asked is answered, in one git call", async () => {
    repository.write(`p/${PAGE}.md`, "Done.\n");
    repository.commitAll();
    const { git, calls } = counted(repository.directory);
    const head = await pagesOf("", { git }).atHead();
    const before = calls.length;
    expect([...(await head.states([PAGE, "harbor-page-0002", PAGE]))]).toEqual([
      [PAGE, "durable"],
      ["harbor-page-0002", "absent"],
    ]);
    expect(calls.slice(before)).toEqual(["ls-tree"]);
  });

  test("more than 500 addresses are one git call too", async () => {
    const ids = Array.from({ length: 700 }, (_, i) => `harbor-page-${String(i).padStart(5, "0")}`);
    for (const id of ids.filter((_, i) => i % 2 === 0)) repository.write(`p/${id}.md`, "Done.\n");
    repository.write(`p/${ids[1]}.md`, "");
    repository.commitAll();
    const { git, calls } = counted(repository.directory);
    const head = await pagesOf("", { git }).atHead();
    const before = calls.length;
    const states = await head.states(ids);
    expect([...states.values()]).toEqual(ids.map((_, i) => (i % 2 === 0 ? "durable" : "absent")));
    expect(calls.slice(before)).toEqual(["ls-tree"]);
  });

  test("an answer is pinned to the commit that HEAD was when it was resolved", async () => {
    const head = await pagesOf(repository.directory).atHead();
    repository.write(`p/${PAGE}.md`, "Done.\n");
    repository.commitAll();
    expect((await head.states([PAGE])).get(PAGE)).toBe("absent");
    expect(await stateOf(repository.directory)).toBe("durable");
  });

  test("a detached HEAD is a HEAD", async () => {
    repository.write(`p/${PAGE}.md`, "Done.\n");
    repository.commitAll();
    repository.git("checkout", "--quiet", "--detach");
    expect(await stateOf(repository.directory)).toBe("durable");
  });

  test("a fleet in a subdirectory has its pages beside it", async () => {
    repository.write(`fleet/p/${PAGE}.md`, "Done.\n");
    repository.commitAll();
    expect(await stateOf(join(repository.directory, "fleet"))).toBe("durable");
    expect(await stateOf(repository.directory)).toBe("absent");
  });

  test.each(["p/", "./p", "docs/p", "docs//p/", "."])("a pages directory may be spelled %s", async (pagesDirectory) => {
    for (const directory of ["", "p/", "docs/p/"]) repository.write(`${directory}${PAGE}.md`, "Done.\n");
    repository.commitAll();
    expect(await stateOf(repository.directory, PAGE, { pagesDirectory })).toBe("durable");
    const many = Array.from({ length: 501 }, (_, i) => `harbor-page-${i + 9000}`);
    const states = await (await pagesOf(repository.directory, { pagesDirectory }).atHead()).states([...many, PAGE]);
    expect([...states].filter(([, state]) => state === "durable")).toEqual([[PAGE, "durable"]]);
  });
});

test("a repository without a commit holds no page", async () => {
  const repository = sandbox.init();
  repository.write(`p/${PAGE}.md`, "Done.\n");
  expect(await stateOf(repository.directory)).toBe("absent");
});

describe("with a remote, its head counts", () => {
  let remote: string;
  let writer: GitRepository;
  beforeEach(() => {
    remote = sandbox.initBare();
    writer = sandbox.clone(remote);
    writer.write("README.md", "A fleet.\n");
    writer.commitAll();
    writer.git("push", "--quiet", "origin", "HEAD:main");
  });

  function pushPage(address = PAGE, branch = "main"): void {
    writer.write(`p/${address}.md`, "Done.\n");
    writer.commitAll();
    writer.git("push", "--quiet", "origin", `HEAD:${branch}`);
  }

  test("what is committed and not pushed is not there", async () => {
    writer.write(`p/${PAGE}.md`, "Done.\n");
    writer.commitAll();
    expect(await stateOf(writer.directory)).toBe("absent");
    writer.git("push", "--quiet", "origin", "HEAD:main");
    expect(await stateOf(writer.directory)).toBe("durable");
  });

  test("a checkout behind its remote sees what the remote has, and is not moved", async () => {
    const stale = sandbox.clone(remote);
    const before = stale.git("for-each-ref");
    pushPage();
    expect(await stateOf(stale.directory)).toBe("durable");
    expect(stale.git("for-each-ref")).toBe(before);
    expect(stale.git("status", "--porcelain")).toBe("");
  });

  test("a page that the remote has lost meanwhile is not there", async () => {
    pushPage();
    const stale = sandbox.clone(remote);
    writer.git("rm", "--quiet", `p/${PAGE}.md`);
    writer.commitAll();
    writer.git("push", "--quiet", "origin", "HEAD:main");
    expect(await stateOf(stale.directory)).toBe("absent");
  });

  test("a --depth 1 clone sees it, also when its remote moved on", async () => {
    pushPage();
    const shallow = sandbox.clone(remote, "--depth", "1");
    expect(shallow.git("rev-parse", "--is-shallow-repository")).toBe("true");
    expect(await stateOf(shallow.directory)).toBe("durable");
    pushPage("harbor-page-0002");
    pushPage("harbor-page-0003");
    expect(await stateOf(shallow.directory, "harbor-page-0003")).toBe("durable");
    expect(await stateOf(shallow.directory, PAGE)).toBe("durable");
  });

  test("a --filter=blob:none clone sees it without fetching what the page says", async () => {
    pushPage();
    expect(await stateOf(sandbox.clone(remote, "--filter=blob:none", "--no-checkout").directory)).toBe("durable");
  });

  test("on its default branch, whichever branch is checked out", async () => {
    pushPage();
    const elsewhere = sandbox.clone(remote);
    elsewhere.git("checkout", "--quiet", "-b", "work", "HEAD~1");
    expect(await stateOf(elsewhere.directory)).toBe("durable");
  });

  test("on git.pages_branch where that is named", async () => {
    pushPage(PAGE, "pages");
    const reader = sandbox.clone(remote);
    expect(await stateOf(reader.directory)).toBe("absent");
    expect(await stateOf(reader.directory, PAGE, { branch: "pages" })).toBe("durable");
  });

  test("a pages_branch that is not there yet holds no page", async () => {
    expect(await stateOf(writer.directory, PAGE, { branch: "pages" })).toBe("absent");
  });

  test("a pages_branch is not a tag or a longer branch of that name", async () => {
    pushPage(PAGE, "x/pages");
    writer.git("push", "--quiet", "origin", "HEAD:refs/tags/pages");
    expect(await stateOf(writer.directory, PAGE, { branch: "pages" })).toBe("absent");
  });

  test("HEAD is resolved once for all questions of a pass", async () => {
    const { git, calls } = counted(writer.directory);
    const head = await pagesOf("", { git }).atHead();
    await head.states([PAGE]);
    await head.states(["harbor-page-0002"]);
    expect(calls.filter((call) => call === "ls-remote")).toHaveLength(1);
  });

  test("a remote that config names is asked, not origin", async () => {
    pushPage();
    const reader = sandbox.clone(sandbox.initBare());
    reader.git("remote", "add", "upstream", `file://${remote}`);
    expect(await stateOf(reader.directory, PAGE, { remote: "upstream" })).toBe("durable");
    expect(await stateOf(reader.directory)).toBe("absent");
  });

  test("an empty remote holds no page, and that is an answer", async () => {
    const reader = sandbox.clone(sandbox.initBare());
    reader.write(`p/${PAGE}.md`, "Done.\n");
    reader.commitAll();
    expect(await stateOf(reader.directory)).toBe("absent");
  });

  test("a remote that has branches but does not say which is its default cannot answer", async () => {
    pushPage();
    writer.git("push", "--quiet", "origin", "HEAD:refs/heads/trunk");
    runGit(remote, "update-ref", "-d", "refs/heads/main");
    expect(await jobErrorFrom(() => stateOf(writer.directory))).toMatchObject({
      code: "TRUTH_UNAVAILABLE",
      message: expect.stringContaining("git.pages_branch"),
    });
    expect(await stateOf(writer.directory, PAGE, { branch: "trunk" })).toBe("durable");
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
    const directory = join(sandbox.root, "no-repository");
    mkdirSync(directory);
    expect(await complaint(directory)).toContain("run inside a git repository");
  });

  test("where git cannot be run", async () => {
    const { directory } = sandbox.init();
    const git = openGit({ directory, env: { ...GIT_TEST_ENV, PATH: "/nowhere" } });
    await complaint(directory, { git });
  });

  test("for a remote that is gone", async () => {
    const remote = sandbox.initBare();
    const reader = sandbox.clone(remote);
    rmSync(remote, { recursive: true });
    expect(await complaint(reader.directory)).toContain('check that the remote "origin" can be reached');
  });

  test.each([
    "https://robot:s3cret-token@127.0.0.1:9/fleet.git",
    "https://s3cret-token@127.0.0.1:9/fleet.git",
    "https://robot:s3cret@token@127.0.0.1:9/fleet.git",
  ])("for a remote that does not answer, without the credentials in its address: %s", async (url) => {
    const repository = sandbox.init();
    repository.commitAll();
    repository.git("remote", "add", "origin", url);
    const message = await complaint(repository.directory);
    expect(message).toContain("127.0.0.1");
    expect(message).not.toMatch(/s3cret|token/);
  });

  test("for remotes of which none is origin", async () => {
    const repository = sandbox.init();
    repository.write(`p/${PAGE}.md`, "Done.\n");
    repository.commitAll();
    repository.git("remote", "add", "upstream", `file://${sandbox.initBare()}`);
    expect(await complaint(repository.directory)).toContain("git.remote in harness-wake.json");
  });

  test("for a remote that config names and that is not there", async () => {
    const repository = sandbox.init();
    expect(await complaint(repository.directory, { remote: "upstream" })).toContain('there is no remote "upstream"');
  });
});
