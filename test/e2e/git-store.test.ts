import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openFleet } from "../../src/compose.ts";
import type { TickSummary } from "../../src/wake/summary.ts";
import { cloneBytes } from "../support/clone-bytes.ts";
import { dueJob } from "../support/due-job.ts";
import { GIT_ENV, git } from "../support/git.ts";
import { expectStraightLine } from "../support/git-arena.ts";
import { GitRemote, jobFiles } from "../support/git-remote.ts";
import { NtfyRecorder } from "../support/ntfy-recorder.ts";
import { runCli } from "../support/run-cli.ts";
import { tempDirectory } from "../support/temp-directory.ts";

const NOON = "2026-11-30T12:00:00Z";
const TRAIN = "harbor-train-0001";
const GIT_STORE = { "harness-wake.json": JSON.stringify({ store: "git" }) };

/** What a harness and an owner do in a job's life, each in a clone of its own that nobody pulls. */
class Fleet {
  readonly remote: GitRemote;

  constructor(files: Readonly<Record<string, string>>) {
    this.remote = new GitRemote(files);
  }

  /** Runs the command line in a fresh clone, and checks that it left the clone as it was. */
  async run(args: readonly string[], stdin = "", env: Readonly<Record<string, string>> = {}) {
    const clone = this.remote.clone("--depth", "1");
    const before = cloneBytes(clone);
    const run = await runCli({ cwd: clone, stdin, env }, ...args, "--now", NOON, "--json");
    expect(cloneBytes(clone)).toEqual(before);
    return run;
  }
}

describe('store "git" in the config', () => {
  test("every verb that writes does it by a push, and none of them touches the clone", async () => {
    const fleet = new Fleet(GIT_STORE);
    const { remote } = fleet;
    const create = ["create", TRAIN, "--owner", "HARBOR", "--harness", "script", "--objective", "Go", "--deadline", "2027-01-01"];
    expect((await fleet.run(create)).json).toMatchObject({ state: "CREATED" });
    expect(remote.job(TRAIN)).toMatchObject({ status: "OPEN", objective: "Go" });
    expect((await fleet.run(["update", TRAIN, "--objective", "Go on"])).json).toMatchObject({ state: "UPDATED" });
    expect(remote.job(TRAIN).objective).toBe("Go on");
    expect((await fleet.run(["block", TRAIN, "--detail", "a key"])).json).toMatchObject({ state: "BLOCKED" });
    expect(remote.job(TRAIN).status).toBe("BLOCKED");
    expect((await fleet.run(["unblock", TRAIN])).json).toMatchObject({ state: "UNBLOCKED" });
    expect((await fleet.run(["--tick", "--land"])).json).toMatchObject({ wake_count: 1 });

    const claimed = await fleet.run(["claim", "--job", TRAIN, "--worker-id", "w"]);
    expect([claimed.code, claimed.json]).toMatchObject([0, { state: "CLAIMED", invoke_model: true }]);
    expect(remote.job(TRAIN).lease?.holder).toBe("w");
    expect((await fleet.run(["renew", "--worker-id", "w", "--tokens-used", "5"], claimed.stdout)).json).toMatchObject({
      state: "RENEWED",
    });
    expect((await fleet.run(["finish", "--worker-id", "w"], claimed.stdout)).json).toMatchObject({ state: "CHECKPOINT" });
    expect(remote.job(TRAIN).checkpoint).toEqual({ step: 1 });

    expect((await fleet.run(["--tick", "--land"])).json).toMatchObject({ wake_count: 1 });
    const again = await fleet.run(["claim", "--job", TRAIN, "--worker-id", "w"]);
    const failed = await fleet.run(["fail", "--worker-id", "w", "--detail", "no luck"], again.stdout);
    expect(failed.json).toMatchObject({ state: "FAILED" });
    expect((await fleet.run(["cancel", TRAIN])).json).toMatchObject({ state: "CANCELLED" });
    expect(remote.job(TRAIN).status).toBe("CANCELLED");
    expect(remote.messages().map((message) => message.split("\n", 1)[0])).toEqual([
      `harness-wake: CANCELLED ${TRAIN} [skip ci]`,
      `harness-wake: FAILED ${TRAIN}-a02 [skip ci]`,
      `harness-wake: CLAIMED ${TRAIN}-a02 [skip ci]`,
      `harness-wake: WAKE RUNNABLE ${TRAIN}-a02 [skip ci]`,
      `harness-wake: CHECKPOINT ${TRAIN}-a01 [skip ci]`,
      `harness-wake: RENEWED ${TRAIN}-a01 [skip ci]`,
      `harness-wake: CLAIMED ${TRAIN}-a01 [skip ci]`,
      `harness-wake: WAKE RUNNABLE ${TRAIN}-a01 [skip ci]`,
      `harness-wake: UNBLOCKED ${TRAIN} [skip ci]`,
      `harness-wake: BLOCKED ${TRAIN} [skip ci]`,
      `harness-wake: UPDATED ${TRAIN} [skip ci]`,
      `harness-wake: create ${TRAIN} [skip ci]`,
      "else",
    ]);
    const nonces = remote.messages().flatMap((message) => /^Nonce: ([0-9a-f]{24})$/m.exec(message)?.[1] ?? []);
    expect(new Set(nonces).size).toBe(12);
    expectStraightLine(remote);
  });

  test("a claim that is repeated is told REPLAY with exit 3, and makes no commit", async () => {
    const fleet = new Fleet({ ...GIT_STORE, ...jobFiles([dueJob(TRAIN)]) });
    await fleet.run(["--tick", "--land"]);
    const mail = JSON.stringify({
      from: "HARNESS_WAKE",
      to: "CHAOS",
      id: TRAIN,
      job_id: TRAIN,
      attempt_id: `${TRAIN}-a01`,
      harness: "script",
      body: "",
    });
    expect((await fleet.run(["claim", "-"], mail)).code).toBe(0);
    const head = fleet.remote.head();
    const replay = await fleet.run(["claim", "-"], mail);
    expect([replay.code, replay.json]).toMatchObject([3, { state: "REPLAY", invoke_model: false }]);
    expect(fleet.remote.head()).toBe(head);
  });

  test("--tick alone only looks: it decides, prints, writes nothing, not even a ref of the clone, and says so", async () => {
    await using ntfy = await NtfyRecorder.up();
    const fleet = new Fleet({ ...GIT_STORE, ...jobFiles([dueJob(TRAIN)]) });
    const clone = fleet.remote.clone();
    const head = fleet.remote.commit({ "README.md": "moved on since the clone was made" });
    const refs = (): string => git(clone, "for-each-ref");
    const before = refs();
    for (const flags of [[], ["--tick"], ["--tick", "--deliver", "--dry-run"]]) {
      const look = await runCli({ cwd: clone, env: ntfy.env }, ...flags, "--now", NOON);
      expect([look.code, look.json]).toMatchObject([0, { wake_count: 1, store: "git", written: false, delivered_count: 0 }]);
    }
    const report = ["report", "--out", join(tempDirectory(), "wake.html")];
    for (const args of [["list"], ["show", TRAIN], ["holds"], report])
      expect((await runCli({ cwd: clone }, ...args)).code).toBe(0);
    expect([fleet.remote.head(), refs()]).toEqual([head, before]);
    const { json } = await fleet.run(["--tick", "--land"]);
    expect(json).toMatchObject({ wake_count: 1, store: "git", written: true });
  });

  test("--tick --deliver lands and mails, --tick --land lands without mail", async () => {
    await using ntfy = await NtfyRecorder.up();
    const fleet = new Fleet({ ...GIT_STORE, ...jobFiles([dueJob(TRAIN)]) });
    expect((await fleet.run(["--tick", "--land"], "", ntfy.env)).json).toMatchObject({ wake_count: 1, written: true });
    expect([fleet.remote.job(TRAIN).status, ntfy.mails]).toEqual(["LEASED", []]);
    fleet.remote.commit(jobFiles([dueJob("harbor-train-0002")]));
    const delivered = await fleet.run(["--tick", "--deliver"], "", ntfy.env);
    expect([delivered.code, delivered.json]).toMatchObject([0, { store: "git", written: true }]);
    expect(fleet.remote.job("harbor-train-0002").status).toBe("LEASED");
    expect(ntfy.mails).toContain("harbor-train-0002-a01");
  });

  test("neither a variable, a --config file nor a caller makes it a file store again", async () => {
    const fleet = new Fleet({ ...GIT_STORE, ...jobFiles([dueJob(TRAIN)]) });
    const clone = fleet.remote.clone();
    writeFileSync(join(clone, "other.json"), JSON.stringify({ store: "file" }));
    writeFileSync(join(clone, "silent.json"), "{}");
    const before = cloneBytes(clone);
    for (const args of [["--tick"], ["list"], ["cancel", TRAIN]]) {
      const env = { HARNESS_WAKE_STORE: "file" };
      const byVariable = await runCli({ cwd: clone, env }, ...args);
      expect([byVariable.code, byVariable.json]).toMatchObject([2, { code: "CONFIG", field: "store" }]);
      expect(byVariable.stderr).toContain("HARNESS_WAKE_STORE");
      const byFile = await runCli({ cwd: clone }, ...args, "--config", "other.json");
      expect([byFile.code, byFile.json]).toMatchObject([2, { code: "CONFIG", field: "store" }]);
      expect(byFile.stderr).toContain("other.json");
    }
    expect((await runCli({ cwd: clone }, "--tick", "--config", "silent.json")).json).toMatchObject({
      store: "git",
      written: false,
    });
    await expect(openFleet({ dir: clone, env: GIT_ENV, store: "file" })).rejects.toMatchObject({ code: "CONFIG" });
    expect(cloneBytes(clone)).toEqual(before);
  });

  test.each(["pull_request", "pull_request_target", "pull_request_review"])(
    "--land and --deliver refuse with exit 2 in a %s run, and a plain tick does not",
    async (event) => {
      await using ntfy = await NtfyRecorder.up();
      const fleet = new Fleet(jobFiles([dueJob(TRAIN)]));
      const head = fleet.remote.head();
      const env = { ...ntfy.env, GITHUB_EVENT_NAME: event };
      for (const flags of [["--land"], ["--deliver"], ["--deliver", "--land"]]) {
        const refused = await fleet.run(["--tick", ...flags], "", env);
        expect([refused.code, refused.json]).toMatchObject([2, { ok: false, code: "USAGE" }]);
      }
      expect([fleet.remote.head(), ntfy.mails]).toEqual([head, []]);
      expect((await fleet.run(["--tick", "--dry-run"], "", env)).json).toMatchObject({ wake_count: 1 });
    },
  );
});

describe("a landed pass", () => {
  test("makes two pushes, decisions and receipts, however many jobs moved and however they moved", async () => {
    await using ntfy = await NtfyRecorder.up();
    const due = Array.from({ length: 40 }, (_, i) => dueJob(`harbor-due-${String(i).padStart(4, "0")}`));
    const over = dueJob("harbor-over-0001", { deadline: "2026-11-01T00:00:00Z" });
    const done = dueJob("harbor-done-0001", {
      result_address: "harbor-done-0001",
      completion_predicate: { type: "result_address_on_head" },
    });
    const fleet = new Fleet({ ...jobFiles([...due, over, done]), "p/harbor-done-0001.md": "done\n" });
    const ticked = await fleet.run(["--tick", "--deliver", "--land"], "", ntfy.env);
    expect(ticked.code).toBe(0);
    expect(ticked.json).toMatchObject({ wake_count: 40, stop_count: 2, delivered_count: 40, error_count: 0 });
    expect(fleet.remote.moves()).toBe(3);
    expect(fleet.remote.job("harbor-over-0001").status).toBe("EXHAUSTED");
    expect(fleet.remote.job("harbor-done-0001").status).toBe("DONE");
    expect(ntfy.mails.toSorted()).toEqual(due.map(({ job_id }) => `${job_id}-a01`));
    const [receipts = "", decisions = ""] = fleet.remote.messages();
    expect(decisions.split("\n", 1)[0]).toBe("harness-wake: 2 STOP, 40 WAKE [skip ci]");
    expect(decisions).toContain("\nSTOP DEADLINE harbor-over-0001\n");
    expect(decisions).toContain("\nWAKE RUNNABLE harbor-due-0039-a01\n");
    expect(receipts.split("\n", 1)[0]).toBe("harness-wake: 40 MAIL [skip ci]");
    expectStraightLine(fleet.remote);
  });

  test("that changes nothing makes no commit", async () => {
    await using ntfy = await NtfyRecorder.up();
    const fleet = new Fleet(jobFiles([dueJob(TRAIN, { next_wake_at: "2026-12-24T00:00:00Z" })]));
    const head = fleet.remote.head();
    const ticked = await fleet.run(["--tick", "--deliver", "--land"], "", ntfy.env);
    expect([ticked.code, ticked.json]).toMatchObject([0, { stop_count: 1 }]);
    expect(fleet.remote.head()).toBe(head);
  });

  test("leaves no _last_tick.json, and one without --land does", async () => {
    const { remote } = new Fleet(jobFiles([dueJob(TRAIN)]));
    const clone = remote.clone();
    const lastTick = join(clone, "wake_jobs/_last_tick.json");
    await runCli({ cwd: clone }, "--tick", "--land", "--now", NOON);
    expect(existsSync(lastTick)).toBe(false);
    expect(remote.text("wake_jobs/_last_tick.json")).toBeUndefined();
    await runCli({ cwd: clone }, "--tick", "--now", NOON);
    expect(existsSync(lastTick)).toBe(true);
  });

  test("with --dry-run tells what it would do and pushes nothing", async () => {
    await using ntfy = await NtfyRecorder.up();
    const fleet = new Fleet(jobFiles([dueJob(TRAIN)]));
    const head = fleet.remote.head();
    const ticked = await fleet.run(["--tick", "--deliver", "--land", "--dry-run"], "", ntfy.env);
    expect([ticked.code, ticked.json]).toMatchObject([0, { wake_count: 1, delivered_count: 0 }]);
    expect([fleet.remote.head(), ntfy.mails]).toEqual([head, []]);
  });

  test("finds its jobs in a subdirectory, also when it is run from one", async () => {
    const directory = "ops/fleet/wake_jobs";
    const config = { "harness-wake.json": JSON.stringify({ jobs_dir: "ops/fleet/wake_jobs" }) };
    const remote = new GitRemote({ ...config, ...jobFiles([dueJob(TRAIN)], directory) });
    const clone = remote.clone("--depth", "1");
    const elsewhere = join(clone, "ops/fleet");
    mkdirSync(elsewhere, { recursive: true });
    const ticked = await runCli<TickSummary>({ cwd: elsewhere }, "--tick", "--land", "--now", NOON);
    expect(ticked.json).toMatchObject({ wake_count: 1, error_count: 0 });
    expect(remote.job(TRAIN, "main", directory).status).toBe("LEASED");
    const byFlag = await runCli<TickSummary>({ cwd: clone }, "--tick", "--land", "--now", NOON, "--jobs-dir", directory);
    expect(byFlag.json.jobs).toMatchObject([{ job_id: TRAIN, reason: "LEASE_HELD" }]);
  });
});

describe("every machine goes by the config at the head of the default branch", () => {
  const moved = { "harness-wake.json": JSON.stringify({ store: "git", git: { branch: "wake-state" } }) };

  test("a checkout from before the fleet moved neither looks at the old branch nor writes to it", async () => {
    const fleet = new Fleet({ ...GIT_STORE, ...jobFiles([dueJob(TRAIN)]) });
    const old = fleet.remote.clone();
    fleet.remote.git("branch", "wake-state", "main");
    const head = fleet.remote.commit(moved);
    for (const args of [["--tick"], ["--tick", "--land"], ["list"], ["cancel", TRAIN], ["claim", "--job", TRAIN]]) {
      const run = await runCli({ cwd: old }, ...args);
      expect([run.code, run.json]).toMatchObject([2, { code: "CONFIG", field: "git.branch" }]);
      expect(run.stderr).toMatch(/wake-state.*pull/);
    }
    expect(fleet.remote.head()).toBe(head);
    const env = { HARNESS_WAKE_GIT_BRANCH: "wake-state" };
    expect(await runCli({ cwd: old, env }, "list")).toMatchObject({ code: 0, json: { ok: true } });
  });

  test("a config that is not pushed yet is told to be, and one that a flag names is taken", async () => {
    const fleet = new Fleet({ ...GIT_STORE, ...jobFiles([dueJob(TRAIN)]) });
    const clone = fleet.remote.clone();
    writeFileSync(join(clone, "other.json"), moved["harness-wake.json"]);
    fleet.remote.git("branch", "wake-state", "main");
    expect(await runCli({ cwd: clone }, "list", "--config", "other.json")).toMatchObject({ code: 0 });
    writeFileSync(join(clone, "harness-wake.json"), moved["harness-wake.json"]);
    const run = await runCli({ cwd: clone }, "list");
    expect([run.code, run.json]).toMatchObject([2, { code: "CONFIG", field: "git.branch" }]);
    expect(run.stderr).toContain("commit and push yours");
  });
});

describe("git.branch", () => {
  const config = { "harness-wake.json": JSON.stringify({ store: "git", git: { branch: "wake/state" } }) };
  const create = (jobId: string) =>
    ["create", jobId, "--owner", "HARBOR", "--harness", "script", "--objective", "Go", "--deadline", "2027-01-01"] as const;

  test("is made by create --new-branch, and the default branch stays as it is", async () => {
    await using ntfy = await NtfyRecorder.up();
    const fleet = new Fleet({ ...config, "p/harbor-done-0001.md": "done\n" });
    const { remote } = fleet;
    const main = remote.head();
    expect((await fleet.run([...create(TRAIN), "--new-branch"])).json).toMatchObject({ state: "CREATED" });
    expect((await fleet.run(["--tick", "--deliver", "--land"], "", ntfy.env)).json).toMatchObject({ wake_count: 1 });
    expect(remote.job(TRAIN, "wake/state")).toMatchObject({ status: "LEASED", attempt_count: 1 });
    expect(remote.head()).toBe(main);
    expectStraightLine(remote, "wake/state");

    // Pages stay on the default branch: that one is there is found out, though the state branch has none.
    const taken = await fleet.run([...create("harbor-other-0001"), "--result-address", "harbor-done-0001"]);
    expect([taken.code, taken.json]).toMatchObject([3, { state: "PAGE_EXISTS" }]);
  });

  test("is made once when several make it at the same time, and nothing of theirs is lost", async () => {
    const fleet = new Fleet(config);
    const ids = ["harbor-first-0001", "harbor-first-0002", "harbor-first-0003"];
    const runs = await Promise.all(ids.map((jobId) => fleet.run([...create(jobId), "--new-branch"])));
    expect(runs.map(({ code, stderr }) => stderr || code)).toEqual([0, 0, 0]);
    for (const jobId of ids) expect(fleet.remote.job(jobId, "wake/state").status).toBe("OPEN");
    expectStraightLine(fleet.remote, "wake/state");
  });

  test("that is not there is an error that names it, and nothing is made", async () => {
    const fleet = new Fleet(config);
    const refs = fleet.remote.git("for-each-ref");
    for (const args of [["--tick", "--land"], ["list"], create(TRAIN)]) {
      const refused = await fleet.run(args);
      expect([refused.code, refused.json]).toMatchObject([2, { code: "CONFIG" }]);
      expect(refused.stderr).toContain('no branch "wake/state"');
    }
    expect(fleet.remote.git("for-each-ref")).toBe(refs);
  });
});

test("--land on a verb goes to the remote where the config says nothing", async () => {
  const fleet = new Fleet(jobFiles([dueJob(TRAIN)]));
  expect((await fleet.run(["cancel", TRAIN, "--land"])).json).toMatchObject({ state: "CANCELLED" });
  expect(fleet.remote.job(TRAIN).status).toBe("CANCELLED");
});

test("--land without a remote, or outside a repository, refuses with exit 2 and says which remote is missing", async () => {
  const remote = new GitRemote(jobFiles([dueJob(TRAIN)]));
  const clone = remote.clone();
  remote.git("-C", clone, "remote", "rename", "origin", "elsewhere");
  const refused = await runCli({ cwd: clone }, "--tick", "--land", "--now", NOON);
  expect([refused.code, refused.json]).toMatchObject([2, { code: "CONFIG" }]);
  expect(refused.stderr).toContain('"origin"');
  writeFileSync(join(clone, "harness-wake.json"), JSON.stringify({ git: { remote: "elsewhere" } }));
  expect((await runCli({ cwd: clone }, "--tick", "--land", "--now", NOON)).json).toMatchObject({ wake_count: 1 });
});

test("a temp directory that cannot be written is named, with its remedy, and nothing is decided", async () => {
  const fleet = new Fleet(jobFiles([dueJob(TRAIN)]));
  const refused = await fleet.run(["--tick", "--land"], "", { TMPDIR: "/nonexistent" });
  expect(refused.code).toBe(4);
  expect(refused.stderr).toContain("set TMPDIR");
  expect(refused.stderr).not.toContain("bug");
});
