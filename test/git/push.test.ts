import { describe, expect, test } from "vitest";
import type { Git, GitResult } from "../../src/git/git.ts";
import { pushCommit } from "../../src/git/push.ts";

const [OLD, NEW] = ["a".repeat(40), "b".repeat(40)];

/** What is made of a push to main for which git says this. */
async function outcomeOf(said: Partial<GitResult>): Promise<string> {
  const git: Git = {
    run: async () => ({ exit_code: 1, stdout: "", stderr: "", ...said }),
    converse: () => Promise.reject(new Error("not asked")),
    runNow: () => {
      throw new Error("not asked");
    },
  };
  const outcome = await pushCommit(git, "origin", "main", { id: NEW, parent: OLD });
  return "isAboutBranch" in outcome && outcome.isAboutBranch ? `${outcome.state} for the branch` : outcome.state;
}

const status = (flag: string, summary: string, ref = "refs/heads/main"): string =>
  `To https://forge/r.git\n${flag}\t${NEW}:${ref}\t${summary}\nDone\n`;

describe("what became of a push is read from its status line", () => {
  test.each([
    [" ", `${OLD.slice(0, 7)}..${NEW.slice(0, 7)}`, "moved"],
    ["*", "[new branch]", "moved"],
    ["+", `${OLD.slice(0, 7)}...${NEW.slice(0, 7)} (forced update)`, "forced"],
    ["=", "[up to date]", "unknown"],
  ])("%s %s is %s", async (flag, summary, state) => {
    expect(await outcomeOf({ exit_code: 0, stdout: status(flag, summary) })).toBe(state);
  });

  test.each([
    "[rejected] (stale info)",
    "[rejected] (fetch first)",
    "[rejected] (non-fast-forward)",
    "[rejected] (remote ref updated since checkout)",
    "[remote rejected] (failed to update ref)",
    "[remote rejected] (failed to lock)",
    "[remote rejected] (lock error)",
    "[remote rejected] (incorrect old value provided)",
    "[remote rejected] (reference already exists)",
    `[remote rejected] (cannot lock ref 'refs/heads/main': is at ${NEW} but expected ${OLD})`,
    "[remote rejected] (cannot lock ref 'refs/heads/main': Unable to create '/r/refs/heads/main.lock': File exists.)",
    `[remote rejected] (refs/heads/main is at ${NEW} but expected ${OLD})`,
  ])("%s is a lost race, whatever the remote says besides", async (summary) => {
    const notice = "remote: Bypassed rule violations for refs/heads/main:\nremote: GH006: Protected branch update failed.\n";
    expect(await outcomeOf({ stdout: status("!", summary) })).toBe("behind");
    expect(await outcomeOf({ stdout: status("!", summary), stderr: notice })).toBe("behind");
  });

  test.each([
    "[remote rejected] (protected branch hook declined)",
    "[remote rejected] (TF402455: Pushes to this branch are not permitted; you must use a pull request.)",
    "[remote rejected] (prohibited by Gerrit: not permitted: update)",
    "[remote rejected] (You are not allowed to push to this branch)",
    "[remote rejected] (permission denied)",
    "[remote rejected] (branch is currently checked out)",
    "[remote rejected] (deny updating a hidden ref)",
  ])("%s refuses whatever is pushed there", async (summary) => {
    expect(await outcomeOf({ stdout: status("!", summary) })).toBe("refused for the branch");
  });

  test.each([
    "[remote rejected] (pre-receive hook declined)",
    "[remote rejected] (push declined due to repository rule violations)",
    "[remote rejected] (hook declined)",
    "[remote rejected] (unpacker error)",
    "[remote rejected] (a forge's words of its own)",
  ])("%s may be about one file", async (summary) => {
    expect(await outcomeOf({ stdout: status("!", summary) })).toBe("refused");
  });

  test("of another ref is not ours", async () => {
    expect(await outcomeOf({ exit_code: 0, stdout: status(" ", "a..b", "refs/heads/maintenance") })).toBe("unknown");
    expect(await outcomeOf({ exit_code: 0, stdout: status("*", "[new tag]", "refs/tags/main") })).toBe("unknown");
  });

  test("with another exit code than its own is no answer", async () => {
    expect(await outcomeOf({ exit_code: 1, stdout: status(" ", "a..b") })).toBe("unknown");
    expect(await outcomeOf({ exit_code: null, broken: "killed", stdout: status("*", "[new branch]") })).toBe("unknown");
    expect(await outcomeOf({ stdout: status("!", "[remote failure] (remote failed to report status)") })).toBe("unknown");
  });
});

describe("without a status line there is no answer", () => {
  test.each([
    ["fatal: unable to access 'https://h/r.git/': The requested URL returned error: 403", "denied"],
    ["ERROR: The key you are authenticating with has been marked as read only.\nfatal: Could not read", "denied"],
    ["git@h: Permission denied (publickey).", "denied"],
    ["fatal: could not read Username for 'https://h': terminal prompts disabled", "denied"],
    ["fatal: unable to access 'https://h/r.git/': Could not resolve host: h", "unknown"],
    ["error: RPC failed; curl 56 recv failure\nfatal: the remote end hung up unexpectedly", "unknown"],
    ["remote: Permission denied is what a hook may print\nfatal: the remote end hung up unexpectedly", "unknown"],
  ])("%s is %s", async (stderr, state) => expect(await outcomeOf({ exit_code: 128, stderr })).toBe(state));

  test("garbage is none", async () => {
    expect(await outcomeOf({ exit_code: 0, stdout: "\u0000\u0001!\t\nDone\n" })).toBe("unknown");
  });
});
