import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openGit } from "../../src/git/open-git.ts";
import type { Job } from "../../src/job/job.ts";
import type { JobStore, Outcome, Step } from "../../src/store/job-store.ts";
import { dueJob } from "../support/due-job.ts";
import { GIT_ENV, git } from "../support/git.ts";
import { expectStraightLine } from "../support/git-arena.ts";
import { gitStore, storeIn } from "../support/git-fleet.ts";
import { GitRemote, jobFiles } from "../support/git-remote.ts";
import { jobErrorFrom } from "../support/job-error-of.ts";
import { FIND_COMMAND, pathWithGit, writeScript } from "../support/script.ts";
import { tempDirectory } from "../support/temp-directory.ts";

const idsOf = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, i) => `harbor-many-${String(i).padStart(4, "0")}`);

const SECRET = "wordthatnoforgetakes";

/** A remote whose jobs of these numbers hold what it will not take anew. */
function remoteWith(count: number, ...secret: readonly number[]): GitRemote {
  const jobs = idsOf(count).map((jobId, i) => dueJob(jobId, secret.includes(i) ? { checkpoint: { note: SECRET } } : {}));
  return new GitRemote(jobFiles(jobs));
}

/** Moves every job, and gives each outcome: `moved`, or the error's code. */
async function moveAll(store: JobStore, count: number): Promise<ReadonlyMap<string, Outcome<string>>> {
  return store.transact(idsOf(count), ({ job }): Step<string> => {
    if (job === undefined) return { answer: "no such job" };
    const moved: Job = { ...job, tokens_used: job.tokens_used + 1 };
    return { answer: "moved", write: { job: moved, note: `MOVED ${job.job_id}` } };
  });
}

const told = (outcomes: ReadonlyMap<string, Outcome<string>>): readonly string[] =>
  [...outcomes.values()].map(({ answer, error }) => answer ?? error?.code ?? "nothing");

/** A hook of the remote's that refuses content and says this; `$names` are the files in which it found something. */
function scan(remote: GitRemote, say: string): { readonly pushes: number } {
  const log = join(remote.directory, "pushes");
  remote.hook(
    "pre-receive",
    `echo push >> ${log}
while read old new ref; do
  names=
  for path in $(git diff --name-only $old $new); do
    ! git cat-file blob "$new:$path" | grep -q ${SECRET} || names="$names $path"
  done
  [ -z "$names" ] || { ${say}; exit 1; }
done`,
  );
  return {
    get pushes() {
      return readFileSync(log, "utf8").split("\n").length - 1;
    },
  };
}

describe("a remote that refuses what one file holds stops that job alone", () => {
  const NAMED = 'echo "GH013: secrets found" >&2; for name in $names; do echo "  path: $name:3" >&2; done';

  test("a job that it names costs two pushes more, however many jobs there are", async () => {
    const remote = remoteWith(40, 17);
    const hook = scan(remote, NAMED);
    const outcomes = await moveAll(storeIn(remote.clone()), 40);
    expect(told(outcomes)).toEqual(idsOf(40).map((_, i) => (i === 17 ? "PUSH_REFUSED" : "moved")));
    expect(hook.pushes).toBe(3);
    const { error } = outcomes.get("harbor-many-0017") ?? {};
    expect(error).toMatchObject({
      file: "wake_jobs/harbor-many-0017.json",
      message: expect.stringContaining("GH013: secrets found"),
    });
    expect(idsOf(40).map((jobId) => remote.job(jobId).tokens_used)).toEqual(idsOf(40).map((_, i) => (i === 17 ? 0 : 1)));
    expectStraightLine(remote);
  });

  test("one that it does not name is found by halves", async () => {
    const remote = remoteWith(16, 5);
    const hook = scan(remote, "echo no >&2");
    expect(told(await moveAll(storeIn(remote.clone()), 16))).toEqual(
      idsOf(16).map((_, i) => (i === 5 ? "PUSH_REFUSED" : "moved")),
    );
    expect(hook.pushes).toBeLessThanOrEqual(9);
    expectStraightLine(remote);
  });

  test("several are errors each, and the others land", async () => {
    const remote = remoteWith(9, 0, 4, 8);
    scan(remote, NAMED);
    expect(told(await moveAll(storeIn(remote.clone()), 9))).toEqual(
      idsOf(9).map((_, i) => (i % 4 === 0 ? "PUSH_REFUSED" : "moved")),
    );
  });

  test("a remote that names the wrong file is not believed: the status of each push counts", async () => {
    const remote = remoteWith(4, 2);
    scan(remote, 'echo "path: wake_jobs/harbor-many-0000.json" >&2');
    expect(told(await moveAll(storeIn(remote.clone()), 4))).toEqual(["moved", "moved", "PUSH_REFUSED", "moved"]);
  });

  test("a job that is the only one to move, and is named, is an error of that job", async () => {
    const remote = remoteWith(1, 0);
    scan(remote, NAMED);
    expect(told(await moveAll(storeIn(remote.clone()), 1))).toEqual(["PUSH_REFUSED"]);
  });

  test("a file that is too large for the remote stops no other", async () => {
    const remote = remoteWith(3);
    remote.hook(
      "pre-receive",
      `while read old new ref; do
  git diff --name-only $old $new | grep -q 0001 || exit 0
  echo "error: File wake_jobs/harbor-many-0001.json is 120.00 MB; this exceeds the limit" >&2; exit 1
done`,
    );
    expect(told(await moveAll(storeIn(remote.clone()), 3))).toEqual(["moved", "PUSH_REFUSED", "moved"]);
  });
});

describe("a remote that refuses whatever is pushed is told once, in its own words", () => {
  const rules: Readonly<Record<string, readonly [script: string, pushes: number]>> = {
    "a hook that says nothing of files": ["echo 'no pushes today' >&2; exit 1", 8],
    "a ruleset that wants signatures": ["echo '- Commits must have verified signatures.' >&2; exit 1", 8],
  };
  test.each(Object.entries(rules))("%s: a few pushes, and one error", async (_what, [script, most]) => {
    const remote = remoteWith(4);
    const log = join(remote.directory, "pushes");
    remote.hook("pre-receive", `echo push >> ${log}; ${script}`);
    const head = remote.head();
    const error = await jobErrorFrom(() => moveAll(storeIn(remote.clone()), 4));
    expect(error).toMatchObject({ code: "PUSH_REFUSED", message: expect.stringMatching(/no pushes today|verified signatures/) });
    expect(readFileSync(log, "utf8").split("\n").length - 1).toBeLessThan(most);
    expect(remote.head()).toBe(head);
  });

  test("one that wants signatures is told of git.sign", async () => {
    const remote = remoteWith(1);
    remote.hook("pre-receive", "echo 'GH013: Commits must have verified signatures.' >&2; exit 1");
    expect((await jobErrorFrom(() => moveAll(storeIn(remote.clone()), 1))).message).toContain("git.sign");
  });

  test.each([
    "protected branch hook declined",
    "TF402455: Pushes to this branch are not permitted; you must use a pull request to update this branch.",
    "prohibited by Gerrit: not permitted: update",
    "You are not allowed to push to this branch",
  ])("(%s) after one push", async (reason) => {
    const remote = remoteWith(4);
    const log = join(tempDirectory(), "pushes");
    const PATH = pathWithGit(`${FIND_COMMAND}
[ "$command" = push ] || exec $GIT "$@"
echo push >> ${log}
printf 'To https://forge/r.git\\n!\\tabc:refs/heads/main\\t[remote rejected] (${reason})\\nDone\\n'; exit 1`);
    const store = gitStore(openGit({ directory: remote.clone(), env: { ...GIT_ENV, PATH } }));
    expect(await jobErrorFrom(() => moveAll(store, 4))).toMatchObject({
      code: "PUSH_REFUSED",
      message: expect.stringContaining(reason),
    });
    expect(readFileSync(log, "utf8")).toBe("push\n");
  });

  test("a hook's words that hold a token are told without it", async () => {
    const remote = remoteWith(1);
    remote.hook("pre-receive", "echo 'found ghp_0123456789abcdefghij in https://me:pw@host/x' >&2; exit 1");
    const { message } = await jobErrorFrom(() => moveAll(storeIn(remote.clone()), 1));
    expect(message).toContain("found *** in https://host/x");
  });
});

describe("a lost race is tried again, whatever the remote says besides", () => {
  test.each([
    "Bypassed rule violations for refs/heads/main:\\n- Changes must be made through a pull request.",
    "error: GH006: Protected branch update failed for refs/heads/main.",
    "You are not allowed to be this late",
  ])("%s", async (notice) => {
    const remote = remoteWith(2);
    remote.hook(
      "pre-receive",
      `printf '${notice}\\n' >&2
[ ! -e once ] || exit 0
touch once
unset GIT_QUARANTINE_PATH GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES
git -c user.name=x -c user.email=x@y update-ref refs/heads/main $(git -c user.name=x -c user.email=x@y commit-tree -p main -m faster main^{tree})`,
    );
    expect(told(await moveAll(storeIn(remote.clone()), 2))).toEqual(["moved", "moved"]);
    expectStraightLine(remote);
  });

  test("a refusal in words of its own, while somebody is faster each time, is told after three", async () => {
    const remote = remoteWith(1);
    const log = join(remote.directory, "pushes");
    remote.hook(
      "pre-receive",
      `echo push >> ${log}; unset GIT_QUARANTINE_PATH GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES
git -c user.name=x -c user.email=x@y update-ref refs/heads/main $(git -c user.name=x -c user.email=x@y commit-tree -p main -m faster main^{tree})
exit 1`,
    );
    expect(await jobErrorFrom(() => moveAll(storeIn(remote.clone()), 1))).toMatchObject({ code: "PUSH_REFUSED" });
    expect(readFileSync(log, "utf8").split("\n")).toHaveLength(4);
  });
});

describe("a transport that refuses this account is told in its own words, with what to do", () => {
  /** A remote over an ssh of the test's own that says this to whoever pushes, or to everybody. */
  function overSsh(remote: GitRemote, say: string, whom: "pushers" | "everybody") {
    const clone = remote.clone();
    git(clone, "remote", "set-url", "origin", "git@forge.invalid:o/r.git");
    const log = join(tempDirectory(), "calls");
    const refuse = `printf '${say}\\n' >&2; exit 255`;
    const GIT_SSH_COMMAND = writeScript(
      join(tempDirectory(), "ssh"),
      `echo call >> ${log}
case "$*" in *receive-pack*) ${refuse};; esac
${whom === "everybody" ? refuse : `exec git-upload-pack ${remote.directory}`}`,
    );
    const store = gitStore(openGit({ directory: clone, env: { ...GIT_ENV, GIT_SSH_COMMAND } }));
    return { store, calls: () => readFileSync(log, "utf8").split("\n").length - 1 };
  }

  test.each([
    "ERROR: The key you are authenticating with has been marked as read only.",
    "ERROR: Permission to o/r.git denied to deploy key",
    "GitLab: You are not allowed to push code to this project.",
    "fatal: Write access to repository not granted.",
  ])("%s: one push", async (say) => {
    const { store, calls } = overSsh(remoteWith(2), say, "pushers");
    expect(await jobErrorFrom(() => moveAll(store, 2))).toMatchObject({
      code: "PUSH_REFUSED",
      message: expect.stringContaining(say),
    });
    expect(calls()).toBeLessThanOrEqual(5);
  });

  test.each([
    "Host key verification failed.",
    "git@forge.invalid: Permission denied (publickey).",
    "ssh: Could not resolve hostname forge.invalid: Name or service not known",
    "ERROR: The organization has enabled or enforced SAML SSO.",
  ])("%s: nothing is decided", async (say) => {
    const { store, calls } = overSsh(remoteWith(2), say, "everybody");
    for (const act of [() => moveAll(store, 2), () => store.scan()]) {
      expect(await jobErrorFrom(act)).toMatchObject({
        code: "REMOTE_UNAVAILABLE",
        message: expect.stringMatching(new RegExp(`${say.slice(0, 20)}.*git ls-remote origin`)),
      });
    }
    expect(calls()).toBe(2);
  });
});
