import { describe, expect, test } from "vitest";
import { openGit } from "../../src/git/open-git.ts";
import { pushCommit } from "../../src/git/push.ts";
import { GIT_ENV } from "../support/git.ts";
import { GitRemote } from "../support/git-remote.ts";

describe("a push is taken only where the branch is our commit's own parent", () => {
  /** A clone with a commit on top of the remote's first one. */
  function ready() {
    const remote = new GitRemote({ "README.md": "A fleet.\n" });
    const parent = remote.head() ?? "";
    const directory = remote.clone();
    const git = openGit({ directory, env: GIT_ENV });
    const made = remote.git("-C", directory, "commit-tree", "-p", parent, "-m", "ours", `${parent}^{tree}`);
    return { remote, git, ours: { id: made, parent } };
  }

  test("then it moves", async () => {
    const { remote, git, ours } = ready();
    expect(await pushCommit(git, "origin", "main", ours)).toEqual({ state: "moved" });
    expect(remote.head()).toBe(ours.id);
  });

  test.each<[string, (remote: GitRemote) => void]>([
    ["moved on", (remote) => remote.commit({ "note.md": "faster\n" })],
    ["went back", (remote) => remote.git("update-ref", "refs/heads/main", remote.git("commit-tree", "-m", "x", "main^{tree}"))],
    ["was renamed", (remote) => remote.git("branch", "-m", "main", "trunk")],
    ["was deleted", (remote) => remote.git("update-ref", "-d", "refs/heads/main")],
  ])("not where it %s", async (_what, arrange) => {
    const { remote, git, ours } = ready();
    arrange(remote);
    const refs = remote.git("for-each-ref");
    expect(await pushCommit(git, "origin", "main", ours)).toMatchObject({ state: "behind", wasSent: false });
    expect(remote.git("for-each-ref")).toBe(refs);
  });

  test("and a first commit only where there is no branch", async () => {
    const { remote, git, ours } = ready();
    const first = { id: ours.id, parent: undefined };
    expect(await pushCommit(git, "origin", "main", first)).toMatchObject({ state: "behind" });
    expect(await pushCommit(git, "origin", "wake-state", first)).toEqual({ state: "moved" });
    expect(await pushCommit(git, "origin", "wake-state", first)).not.toMatchObject({ state: "moved" });
    expect(remote.head("wake-state")).toBe(ours.id);
  });

  test("one that git itself takes for a forced update is a fault, not a win", async () => {
    const { git, ours, remote } = ready();
    const stranger = { id: remote.git("commit-tree", "-m", "no child", "main^{tree}"), parent: ours.parent };
    await git.run(["fetch", "origin", stranger.id]);
    expect(await pushCommit(git, "origin", "main", stranger)).toMatchObject({ state: "forced" });
  });
});
