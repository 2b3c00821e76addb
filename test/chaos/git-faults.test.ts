import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { consumeDelivery } from "../../src/callback/index.ts";
import { mailFor } from "../../src/mail/wake-mail.ts";
import { runTick } from "../../src/wake/run-tick.ts";
import type { TickSummary } from "../../src/wake/summary.ts";
import { cloneBytes } from "../support/clone-bytes.ts";
import { dueJob } from "../support/due-job.ts";
import { git } from "../support/git.ts";
import { expectStraightLine } from "../support/git-arena.ts";
import { openGitFleet } from "../support/git-fleet.ts";
import { GitHttpServer } from "../support/git-http-server.ts";
import { GitRemote, jobFiles } from "../support/git-remote.ts";
import { commitAll } from "../support/git-repository.ts";
import { NOON } from "../support/noon.ts";
import { NtfyRecorder } from "../support/ntfy-recorder.ts";
import { runCli } from "../support/run-cli.ts";
import { tempDirectory } from "../support/temp-directory.ts";
import { GIT_COUNTS, GIT_CHAOS_TIMEOUT_MS as TIMEOUT } from "./git-counts.ts";

const TRAIN = "harbor-train-0001";
const FERRY = "harbor-ferry-0001";
/** What a tick says is durable when a mail is sent: its wake. */

function at(seconds: number): string {
  return new Date((NOON + seconds) * 1000).toISOString();
}

/** Runs the command line in a clone and checks that the clone is the user's as it was. */
async function run(
  clone: string,
  seconds: number,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  stdin = "",
) {
  const before = cloneBytes(clone);
  const run = await runCli<TickSummary & { state: string; code?: string }>(
    { cwd: clone, env, stdin },
    ...args,
    "--now",
    at(seconds),
    "--json",
  );
  expect(cloneBytes(clone)).toEqual(before);
  return run;
}

const TICK = ["--tick", "--deliver", "--land"] as const;
const CLAIM = ["claim", "-", "--land", "--worker-id", "w"] as const;

function mailOf(remote: GitRemote, jobId = TRAIN): string {
  return JSON.stringify(mailFor(remote.job(jobId)) ?? expect.fail(`${jobId} offers nothing`));
}

/** A remote with jobs that were woken at noon, and mailed. */
async function remoteOfWoken(...jobIds: readonly string[]): Promise<GitRemote> {
  const remote = new GitRemote(jobFiles(jobIds.map((jobId) => dueJob(jobId))));
  await using ntfy = await NtfyRecorder.up();
  expect((await run(remote.clone(), 0, TICK, ntfy.env)).code).toBe(0);
  return remote;
}

/** A clone that reaches its remote over HTTP. */
function cloneOver(server: GitHttpServer, remote: GitRemote): string {
  const clone = remote.clone("--depth", "1");
  git(clone, "remote", "set-url", "origin", server.url);
  return clone;
}

function receiptsOf(remote: GitRemote, event: string, jobId = TRAIN): number {
  return remote.job(jobId).event_receipts.filter((receipt) => receipt.event === event).length;
}

describe("a remote that vanishes", () => {
  test("before the fetch: exit 4, nothing is claimed, woken or mailed", async () => {
    await using ntfy = await NtfyRecorder.up();
    const remote = await remoteOfWoken(TRAIN);
    await using server = await GitHttpServer.over(remote);
    const clone = cloneOver(server, remote);
    const head = remote.head();
    server.order("drop_before", "fetch");
    const claim = await run(clone, 1, CLAIM, {}, mailOf(remote));
    expect([claim.code, claim.json]).toMatchObject([4, { ok: false, code: "REMOTE_UNAVAILABLE", invoke_model: false }]);
    const tick = await run(clone, 7200, TICK, ntfy.env);
    expect([tick.code, tick.json]).toMatchObject([4, { ok: false, code: "REMOTE_UNAVAILABLE", process_model_invocations: 0 }]);
    expect([remote.head(), ntfy.mails]).toEqual([head, []]);
  });

  test("during the push, and comes back: the call decides again and is applied once", async () => {
    const remote = await remoteOfWoken(TRAIN);
    await using server = await GitHttpServer.over(remote);
    server.order("drop_before", "push", 2);
    const claim = await run(cloneOver(server, remote), 1, CLAIM, {}, mailOf(remote));
    expect([claim.code, claim.json]).toMatchObject([0, { state: "CLAIMED", invoke_model: true }]);
    expect(receiptsOf(remote, "delivery_claim")).toBe(1);
    expectStraightLine(remote);
  });

  test("during every push: exit 4 says that pushes break off, nothing is mailed or claimed", async () => {
    await using ntfy = await NtfyRecorder.up();
    const remote = await remoteOfWoken(TRAIN);
    await using server = await GitHttpServer.over(remote);
    const clone = cloneOver(server, remote);
    const head = remote.head();
    server.order("drop_before", "push");
    const claim = await run(clone, 1, CLAIM, {}, mailOf(remote));
    expect([claim.code, claim.json]).toMatchObject([4, { code: "REMOTE_UNAVAILABLE", invoke_model: false }]);
    expect(claim.stderr).toContain("breaks off our pushes");
    const tick = await run(clone, 7200, TICK, ntfy.env);
    expect([tick.code, ntfy.mails, remote.head()]).toEqual([4, [], head]);
  });

  test("after the ref moved, its answer lost: the call finds its commit in the branch and has won, once", async () => {
    await using ntfy = await NtfyRecorder.up();
    const remote = new GitRemote(jobFiles([dueJob(TRAIN)]));
    await using server = await GitHttpServer.over(remote);
    const clone = cloneOver(server, remote);
    server.order("drop_answer", "push", 1);
    const tick = await run(clone, 0, TICK, ntfy.env);
    expect([tick.code, tick.json]).toMatchObject([0, { wake_count: 1, delivered_count: 1 }]);
    expect([ntfy.mails, receiptsOf(remote, "wake"), receiptsOf(remote, "deliver")]).toEqual([[`${TRAIN}-a01`], 1, 1]);
    server.mend();
    server.order("drop_answer", "push", 1);
    const claim = await run(clone, 1, CLAIM, {}, mailOf(remote));
    expect([claim.code, claim.json]).toMatchObject([0, { state: "CLAIMED", invoke_model: true }]);
    expect(receiptsOf(remote, "delivery_claim")).toBe(1);
    expect(remote.history()).toHaveLength(4);
    expectStraightLine(remote);
  });

  test("after the ref moved, with a rival's commit on top of ours before we can look: still ours", async () => {
    const remote = await remoteOfWoken(TRAIN);
    await using server = await GitHttpServer.over(remote);
    const clone = cloneOver(server, remote);
    server.order("drop_answer", "push", 1);
    server.onPushed = () => {
      server.onPushed = () => undefined;
      for (let i = 0; i < 5; i++) remote.commit({ [`notes/${i}.md`]: "on top\n" });
    };
    const claim = await run(clone, 1, CLAIM, {}, mailOf(remote));
    expect([claim.code, claim.json]).toMatchObject([0, { state: "CLAIMED" }]);
    expect(receiptsOf(remote, "delivery_claim")).toBe(1);
    expectStraightLine(remote);
  });

  test("after the ref moved, and stays away: exit 4 and no model runs; the next run sees the win and does not act twice", async () => {
    await using ntfy = await NtfyRecorder.up();
    const remote = new GitRemote(jobFiles([dueJob(TRAIN)]));
    await using server = await GitHttpServer.over(remote);
    const clone = cloneOver(server, remote);
    const vanishAfterPush = (): void => {
      server.mend();
      server.order("drop_answer", "push");
      server.onPushed = () => server.order("drop_before", "fetch");
    };
    vanishAfterPush();
    const lost = await run(clone, 0, TICK, ntfy.env);
    expect([lost.code, lost.json]).toMatchObject([4, { ok: false, code: "REMOTE_UNAVAILABLE" }]);
    expect([ntfy.mails, receiptsOf(remote, "wake")]).toEqual([[], 1]);
    server.mend();
    expect((await run(clone, 1, TICK, ntfy.env)).json.jobs).toMatchObject([{ action: "STOP", reason: "LEASE_HELD" }]);
    const later = await run(clone, 61, TICK, ntfy.env);
    expect(later.json).toMatchObject({ jobs: [{ reason: "REDELIVER", attempt_id: `${TRAIN}-a01` }], delivered_count: 1 });
    expect([ntfy.mails, remote.job(TRAIN).attempt_count]).toEqual([[`${TRAIN}-a01`], 1]);

    vanishAfterPush();
    const mail = mailOf(remote);
    const claim = await run(clone, 62, CLAIM, {}, mail);
    expect([claim.code, claim.json]).toMatchObject([4, { ok: false, code: "REMOTE_UNAVAILABLE", invoke_model: false }]);
    expect(claim.stderr).toContain("Run no model");
    server.mend();
    const again = await run(clone, 63, CLAIM, {}, mail);
    expect([again.code, again.json]).toMatchObject([3, { state: "REPLAY", invoke_model: false }]);
    expect(receiptsOf(remote, "delivery_claim")).toBe(1);
    expectStraightLine(remote);
  });
});

describe("a remote that refuses for good", () => {
  const hooks = {
    "pre-receive hook": (remote: GitRemote) => remote.hook("pre-receive", "echo 'not you' >&2; exit 1"),
    "protected branch": (remote: GitRemote) =>
      remote.hook("pre-receive", "echo 'error: GH006: Protected branch update failed for refs/heads/main.' >&2; exit 1"),
    "update hook": (remote: GitRemote) => remote.hook("update", 'test "$1" != refs/heads/main'),
  };

  test.each(Object.entries(hooks))("by a %s: one error says what to do, exit 4, nothing is mailed or claimed", async (_, arm) => {
    await using ntfy = await NtfyRecorder.up();
    const remote = await remoteOfWoken(TRAIN);
    remote.commit(jobFiles([dueJob(FERRY)]));
    const head = remote.head();
    arm(remote);
    const clone = remote.clone();
    const claim = await run(clone, 1, CLAIM, {}, mailOf(remote));
    expect([claim.code, claim.json]).toMatchObject([4, { ok: false, code: "PUSH_REFUSED", invoke_model: false }]);
    const tick = await run(clone, 1, TICK, ntfy.env);
    expect([tick.code, tick.json]).toMatchObject([4, { ok: false, code: "PUSH_REFUSED", invoke_model: false }]);
    expect(tick.stderr).toMatch(/^harness-wake: the remote "origin" will not take a push to main: .*git\.branch.*\n$/);
    expect([remote.head(), ntfy.mails]).toEqual([head, []]);
  });

  test("but lets another branch pass: with git.branch the same fleet lands", async () => {
    await using ntfy = await NtfyRecorder.up();
    const remote = new GitRemote(jobFiles([dueJob(TRAIN)]));
    remote.git("branch", "wake-state", "main");
    hooks["update hook"](remote);
    const env = { ...ntfy.env, HARNESS_WAKE_GIT_BRANCH: "wake-state" };
    expect((await run(remote.clone(), 0, TICK, env)).json).toMatchObject({ wake_count: 1, delivered_count: 1 });
    expect(remote.job(TRAIN, "wake-state").status).toBe("LEASED");
  });

  test("with a token that may only read: 403 is exit 4, nothing is mailed or claimed", async () => {
    await using ntfy = await NtfyRecorder.up();
    const remote = new GitRemote(jobFiles([dueJob(TRAIN)]));
    await using server = await GitHttpServer.over(remote);
    const head = remote.head();
    server.order("refuse", "push");
    const tick = await run(cloneOver(server, remote), 0, TICK, ntfy.env);
    expect([tick.code, tick.json]).toMatchObject([4, { code: "PUSH_REFUSED" }]);
    expect(tick.stderr).toContain("403");
    expect([remote.head(), ntfy.mails]).toEqual([head, []]);
  });
});

describe("what a branch may hold", () => {
  test("an empty remote: the branch is created, under the name that the clone has for it", async () => {
    const remote = new GitRemote();
    remote.git("symbolic-ref", "HEAD", "refs/heads/trunk");
    const clone = remote.clone();
    git(clone, "symbolic-ref", "HEAD", "refs/heads/trunk");
    expect((await run(clone, 0, ["--tick", "--land"])).json).toMatchObject({ ok: true, jobs: [] });
    const fields = ["--owner", "HARBOR", "--harness", "script", "--objective", "Go", "--deadline", "2027-01-01"];
    expect((await run(clone, 0, ["create", TRAIN, "--land", ...fields])).json).toMatchObject({ state: "CREATED" });
    expect(remote.job(TRAIN, "trunk").status).toBe("OPEN");
    expect((await run(clone, 0, ["--tick", "--land"])).json).toMatchObject({ wake_count: 1 });
    expectStraightLine(remote, "trunk");
  });

  test("a branch that was rewritten by force is decided on as it now is, by a process that knew the old one", async () => {
    const remote = new GitRemote(jobFiles([dueJob(TRAIN), dueJob(FERRY)]));
    const first = remote.head() ?? "";
    const fleet = await openGitFleet(remote.clone("--depth", "1"), () => NOON);
    expect(await runTick(fleet, { workerId: "watchdog" })).toMatchObject({ wake_count: 2 });
    const mail = mailFor(remote.job(TRAIN));
    // Somebody throws the wakes away, and one of the jobs with them.
    remote.git("update-ref", "refs/heads/main", first);
    const rewritten = remote.commit({ [`wake_jobs/${FERRY}.json`]: null, "README.md": "from another history\n" });
    expect(await consumeDelivery(fleet, mail, { workerId: "w" })).toMatchObject({ state: "STALE_ATTEMPT" });
    expect(remote.head()).toBe(rewritten);
    const summary = await runTick(fleet, { workerId: "watchdog" });
    expect(summary.jobs).toMatchObject([{ job_id: TRAIN, action: "WAKE", attempt_id: `${TRAIN}-a01` }]);
    expect(remote.text("README.md")).toBe("from another history\n");
    expect(remote.history().map(({ commit }) => commit)[1]).toBe(rewritten);
  });

  test("a job file with conflict markers that somebody committed is an ERROR row and stays; the others land", async () => {
    await using ntfy = await NtfyRecorder.up();
    const text = jobFiles([dueJob(FERRY)])[`wake_jobs/${FERRY}.json`] ?? "";
    const marked = text.replace(/\n {2}"attempt_count": 0,/, (line) => `\n<<<<<<< HEAD${line}\n=======${line}\n>>>>>>> theirs`);
    expect(marked).toContain("<<<<<<<");
    const remote = new GitRemote({ ...jobFiles([dueJob(TRAIN)]), [`wake_jobs/${FERRY}.json`]: marked });
    const tick = await run(remote.clone(), 0, TICK, ntfy.env);
    expect(tick.code).toBe(1);
    expect(tick.json.jobs).toMatchObject([
      { action: "ERROR", reason: "CORRUPT", error: { file: `wake_jobs/${FERRY}.json` } },
      { job_id: TRAIN, action: "WAKE" },
    ]);
    expect(remote.text(`wake_jobs/${FERRY}.json`)).toBe(marked);
    expect(ntfy.mails).toEqual([`${TRAIN}-a01`]);
    const cancel = await run(remote.clone(), 0, ["cancel", FERRY, "--land"]);
    expect([cancel.code, cancel.json]).toMatchObject([3, { code: "CORRUPT" }]);
  });

  test("a clone a week old that knows a job as OPEN is told that it is DONE since", async () => {
    await using ntfy = await NtfyRecorder.up();
    const remote = new GitRemote(jobFiles([dueJob(TRAIN)]));
    const clone = remote.clone();
    await run(remote.clone(), 0, TICK, ntfy.env);
    const mail = mailOf(remote);
    const done = { ...remote.job(TRAIN), status: "DONE" as const, lease: null, completed_at: "2026-12-01T00:00:00Z" };
    const head = remote.commit(jobFiles([done]));
    const week = 7 * 86_400;
    const claim = await run(clone, week, CLAIM, {}, mail);
    expect([claim.code, claim.json]).toMatchObject([3, { state: "DONE", invoke_model: false }]);
    expect((await run(clone, week, TICK, ntfy.env)).json.jobs).toMatchObject([{ action: "STOP", reason: "DONE" }]);
    const cancel = await run(clone, week, ["cancel", TRAIN, "--land"]);
    expect([cancel.code, cancel.json]).toMatchObject([3, { state: "DONE" }]);
    expect(remote.head()).toBe(head);
  });
});

describe("a clone in any state", () => {
  const states: Record<string, (clone: string) => void> = {
    "an index.lock left behind": (clone) => writeFileSync(join(clone, ".git/index.lock"), ""),
    "a rebase in progress": (clone) => {
      git(clone, "checkout", "-q", "-b", "side");
      writeFileSync(join(clone, "README.md"), "side\n");
      commitAll(clone);
      git(clone, "checkout", "-q", "main");
      writeFileSync(join(clone, "README.md"), "main\n");
      commitAll(clone);
      expect(() => git(clone, "rebase", "-q", "side")).toThrow();
      expect(existsSync(join(clone, ".git/rebase-merge"))).toBe(true);
    },
    "a detached HEAD": (clone) => void git(clone, "checkout", "-q", "--detach"),
    "a dirty tree": (clone) => {
      writeFileSync(join(clone, "wake_jobs", `${TRAIN}.json`), "{ half");
      writeFileSync(join(clone, "README.md"), "staged\n");
      git(clone, "add", "README.md");
      writeFileSync(join(clone, "README.md"), "staged, and edited since\n");
      writeFileSync(join(clone, "wake_jobs/untracked-0001.json"), "{}");
    },
    "a branch without a commit": (clone) => void git(clone, "symbolic-ref", "HEAD", "refs/heads/unborn"),
    "a lock on what it knows of the remote, left by a git that was killed": (clone) => {
      mkdirSync(join(clone, ".git/refs/remotes/origin"), { recursive: true });
      writeFileSync(join(clone, ".git/refs/remotes/origin/main.lock"), "");
    },
  };

  test.each(Object.entries(states))("with %s lands, and stays as it was", async (_, arrange) => {
    await using ntfy = await NtfyRecorder.up();
    const remote = new GitRemote({ "README.md": "A fleet.\n", ...jobFiles([dueJob(TRAIN)]) });
    const clone = remote.clone();
    arrange(clone);
    remote.commit({ "notes.md": "so that there is something to fetch\n" });
    const tick = await run(clone, 0, TICK, ntfy.env);
    expect([tick.stderr, tick.code]).toEqual(["", 0]);
    expect(tick.json).toMatchObject({ wake_count: 1, delivered_count: 1 });
    const claim = await run(clone, 1, CLAIM, {}, mailOf(remote));
    expect([claim.code, claim.json]).toMatchObject([0, { state: "CLAIMED" }]);
    expectStraightLine(remote);
  });

  test("with settings that would stop or bend a commit of the user's lands the very bytes that it decided", async () => {
    await using ntfy = await NtfyRecorder.up();
    const remote = new GitRemote(jobFiles([dueJob(TRAIN)]));
    // Over file:// the remote would be run with the user's settings too.
    await using server = await GitHttpServer.over(remote);
    const clone = cloneOver(server, remote);
    const hooks = join(tempDirectory(), "hooks");
    for (const directory of [hooks, join(clone, ".git/hooks")]) {
      mkdirSync(directory, { recursive: true });
      for (const hook of ["pre-push", "pre-commit", "commit-msg", "reference-transaction", "post-checkout", "pre-auto-gc"]) {
        writeFileSync(join(directory, hook), `#!/bin/sh\necho ran >> ${join(hooks, "ran")}\nexit 1\n`);
        chmodSync(join(directory, hook), 0o755);
      }
    }
    const config = join(tempDirectory(), "gitconfig");
    writeFileSync(
      config,
      `[core]
  autocrlf = true
  eol = crlf
  hooksPath = ${hooks}
  quotepath = true
[commit]
  gpgSign = true
[tag]
  gpgSign = true
[push]
  gpgSign = if-asked
  default = nothing
  followTags = true
  recurseSubmodules = check
[gpg]
  program = /nonexistent/gpg
[user]
  useConfigOnly = true
[color]
  ui = always
[fetch]
  prune = true
  pruneTags = true
  fsckObjects = true
[pull]
  rebase = true
[merge]
  ff = only
[log]
  showSignature = true
[i18n]
  commitEncoding = ISO-8859-1
`,
    );
    const env = { ...ntfy.env, GIT_CONFIG_GLOBAL: config };
    const tick = await run(clone, 0, TICK, env);
    expect([tick.stderr, tick.code]).toEqual(["", 0]);
    expect(tick.json).toMatchObject({ wake_count: 1, delivered_count: 1 });
    const claim = await run(clone, 1, CLAIM, env, mailOf(remote));
    expect([claim.code, claim.json]).toMatchObject([0, { state: "CLAIMED" }]);
    expect(remote.text(`wake_jobs/${TRAIN}.json`)).not.toContain("\r");
    expect(existsSync(join(hooks, "ran"))).toBe(false);
    expectStraightLine(remote);
  });
});

describe("kill -9", () => {
  /** A git that counts its calls, and kills whoever called it before or after one of them. */
  function deadlyGit(): string {
    const bin = tempDirectory();
    const real =
      (process.env["PATH"] ?? "")
        .split(":")
        .map((path) => join(path, "git"))
        .find(existsSync) ?? expect.fail("no git");
    writeFileSync(
      join(bin, "git"),
      `#!/bin/sh
n=$(($(cat "$DEADLY_COUNT" 2> /dev/null) + 1))
echo $n > "$DEADLY_COUNT"
[ "$DEADLY" = "before $n" ] && kill -9 $PPID && exit 1
${real} "$@"
code=$?
[ "$DEADLY" = "after $n" ] && kill -9 $PPID
exit $code
`,
    );
    chmodSync(join(bin, "git"), 0o755);
    return bin;
  }

  /** The environment in which a call of git is deadly; a moment that never comes kills nobody. */
  function deadly(bin: string, moment: string, count: string): Record<string, string> {
    return { PATH: `${bin}:${process.env["PATH"]}`, DEADLY: moment, DEADLY_COUNT: count };
  }

  /** The moments of a run that makes so many calls. */
  function moments(calls: number): readonly string[] {
    const all = Array.from({ length: calls }, (_, i) => [`before ${i + 1}`, `after ${i + 1}`]).flat();
    return all.filter((_, i) => i % GIT_COUNTS.deathEvery === 0);
  }

  async function callsOf(bin: string, clone: string, args: readonly string[], env: Record<string, string>, stdin = "") {
    const count = join(tempDirectory(), "count");
    const lived = await run(clone, 0, args, { ...env, ...deadly(bin, "never", count) }, stdin);
    expect([lived.stderr, lived.code]).toEqual(["", 0]);
    return Number(readFileSync(count, "utf8"));
  }

  test(
    "at any git call of a landed pass loses no wake, doubles none, and mails none that did not land",
    async () => {
      await using ntfy = await NtfyRecorder.up();
      const bin = deadlyGit();
      const files = jobFiles([dueJob(TRAIN), dueJob(FERRY)]);
      const calls = await callsOf(bin, new GitRemote(files).clone("--depth", "1"), TICK, ntfy.env);
      expect(calls).toBeGreaterThan(8);
      for (const moment of moments(calls)) {
        const remote = new GitRemote(files);
        const clone = remote.clone("--depth", "1");
        ntfy.forget();
        ntfy.onMail = (attempt_id, jobId) => {
          expect(remote.job(jobId)).toMatchObject({ status: "LEASED" });
          expect(remote.job(jobId).event_receipts.at(-1)).toMatchObject({ event: "wake", attempt_id, mail: "owed" });
        };
        const env = { ...ntfy.env, ...deadly(bin, moment, join(tempDirectory(), "count")) };
        expect((await run(clone, 0, TICK, env)).code).toBeNull();
        const mailedBefore = [...ntfy.mails];
        // A minute on, whoever ticks next finishes what was begun.
        expect((await run(clone, 61, TICK, ntfy.env)).code).toBe(0);
        for (const jobId of [TRAIN, FERRY]) {
          expect(remote.job(jobId)).toMatchObject({ attempt_count: 1, status: "LEASED" });
          expect(receiptsOf(remote, "deliver", jobId)).toBe(1);
          const times = ntfy.mails.filter((attempt) => attempt === `${jobId}-a01`).length;
          const wakes = remote.job(jobId).event_receipts.find(({ event }) => event === "wake");
          const mayRepeat = mailedBefore.length > 0 && wakes?.["count"] === 2;
          expect(times).toBe(mayRepeat ? 2 : 1);
        }
        const head = remote.head();
        expect((await run(clone, 62, TICK, ntfy.env)).json).toMatchObject({ stop_count: 2 });
        expect(remote.head()).toBe(head);
        expectStraightLine(remote);
      }
    },
    TIMEOUT,
  );

  test(
    "at any git call of a claim leaves the attempt claimed once or not at all, and the next call is told which",
    async () => {
      const bin = deadlyGit();
      const woken = await remoteOfWoken(TRAIN, FERRY);
      const calls = await callsOf(bin, woken.clone(), CLAIM, {}, mailOf(woken, FERRY));
      expect(calls).toBeGreaterThan(4);
      const base = woken.head() ?? "";
      for (const moment of moments(calls)) {
        woken.git("update-ref", "refs/heads/main", base);
        const clone = woken.clone();
        const mail = mailOf(woken);
        const env = deadly(bin, moment, join(tempDirectory(), "count"));
        const died = await run(clone, 1, CLAIM, env, mail);
        expect([died.code, died.stdout]).toEqual([null, ""]);
        const landed = receiptsOf(woken, "delivery_claim") === 1;
        const again = await run(clone, 2, CLAIM, {}, mail);
        expect(again.json.state).toBe(landed ? "REPLAY" : "CLAIMED");
        expect(receiptsOf(woken, "delivery_claim")).toBe(1);
      }
    },
    TIMEOUT,
  );
});
