import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { Job } from "../../src/job/job.ts";
import type { TickSummary } from "../../src/wake/summary.ts";
import { runInProcess } from "../support/cli-in-process.ts";
import { directoryBytes, jobBytes } from "../support/directory-bytes.ts";
import { freshFleet } from "../support/fresh-fleet.ts";
import { commitAll } from "../support/git-repository.ts";
import { jobDocument, putJob } from "../support/job-builder.ts";
import { faultOfJobFileForm } from "../support/job-file-form.ts";
import { atNoon } from "../support/noon.ts";
import { CLI, type CliRun, runCli } from "../support/run-cli.ts";

type Answer = Readonly<Record<string, unknown>>;

const ID = "harbor-0001";

let repository: string;
let jobs: string;
beforeEach(() => {
  ({ repository, jobs } = freshFleet());
});

/** A verb at noon. */
function cli(verb: string, ...args: readonly string[]): Promise<CliRun<Answer>> {
  return runCli({ cwd: repository }, verb, "--now", atNoon(), ...args);
}

function fromStdin(fields: unknown, ...args: readonly string[]): Promise<CliRun<Answer>> {
  return runCli({ cwd: repository, stdin: JSON.stringify(fields) }, ...args, "--now", atNoon(), "--from", "-");
}

async function tickRow(now = atNoon()): Promise<TickSummary["jobs"][number] | undefined> {
  return (await runCli<TickSummary>({ cwd: repository }, "--tick", "--now", now)).json.jobs[0];
}

function jobText(jobId = ID): string {
  return readFileSync(join(jobs, `${jobId}.json`), "utf8");
}

function job(jobId = ID): Job {
  return JSON.parse(jobText(jobId));
}

/** Expects that the run is a refusal or error with this code and exit, that says these things, and that no job changed. */
async function expectRefused(run: Promise<CliRun<Answer>>, exit: number, code: string, ...says: readonly (string | RegExp)[]) {
  const before = jobBytes(jobs);
  const { json, stderr, code: exitCode } = await run;
  expect(json).toMatchObject({ ok: false, code, invoke_model: false });
  for (const part of says) expect(json["message"]).toMatch(part);
  expect(stderr).toContain(json["message"]);
  expect(stderr).not.toMatch(/\n\s+at /);
  expect(exitCode).toBe(exit);
  expect(jobBytes(jobs)).toEqual(before);
}

async function expectDone(run: Promise<CliRun<Answer>>, state: string): Promise<Answer> {
  const { json, code, stderr } = await run;
  expect(stderr).toBe("");
  expect(json).toMatchObject({ ok: true, state, invoke_model: false });
  expect(code).toBe(0);
  return json;
}

const BARE = ["--owner", "TESTS", "--harness", "script", "--objective", "Keep the train moving."] as const;

describe("create", () => {
  it("writes a job with the defaults of contract §2: due now, its page named after it", async () => {
    await expectDone(cli("create", ID, ...BARE, "--within", "2d"), "CREATED");
    expect(job()).toEqual({
      $schema: "../node_modules/harness-wake/schema/job.json",
      job_id: ID,
      owner_claim: "TESTS",
      harness: "script",
      objective: "Keep the train moving.",
      checkpoint: {},
      next_wake_at: atNoon(),
      deadline: "2026-12-02T12:00:00Z",
      backoff_seconds: 60,
      max_backoff_seconds: 3600,
      lease_seconds: 900,
      max_attempts: 8,
      attempt_count: 0,
      budget_tokens: 100_000,
      tokens_used: 0,
      completion_predicate: { type: "result_address_on_head" },
      instructions: "",
      result_address: ID,
      status: "OPEN",
      lease: null,
      blocker: null,
      event_receipts: [],
      woke_once: false,
      in_backoff: false,
      no_progress_count: 0,
      unclaimed_count: 0,
      created_at: atNoon(),
      updated_at: atNoon(),
    });
    expect(faultOfJobFileForm(jobText())).toBeUndefined();
    expect(await tickRow()).toMatchObject({ action: "WAKE", attempt_id: `${ID}-a01` });
  });

  it("takes every owner's field as an option", async () => {
    const fields = {
      checkpoint: { step: 3, big: 1 },
      completion_predicate: { type: "checkpoint_equals", path: "step", value: 9 },
      result_address: "harbor-page-0001",
      backoff_seconds: 5,
      max_backoff_seconds: 50,
      lease_seconds: 500,
      max_attempts: 3,
      budget_tokens: 777,
      next_wake_at: "2026-11-30T13:30:00Z",
      deadline: "2026-12-24T00:00:00Z",
    };
    const options = [
      ["--checkpoint", JSON.stringify(fields.checkpoint)],
      ["--predicate", JSON.stringify(fields.completion_predicate)],
      ["--result-address", fields.result_address],
      ["--backoff-seconds", "5"],
      ["--max-backoff-seconds", "50"],
      ["--lease-seconds", "500"],
      ["--max-attempts", "3"],
      ["--budget-tokens", "777"],
      ["--in", "1h30m"],
      ["--deadline", "2026-12-24"],
    ].flat();
    await expectDone(cli("create", ID, ...BARE, ...options), "CREATED");
    expect(job()).toMatchObject(fields);
  });

  it("keeps the numbers of --checkpoint as they were written", async () => {
    await expectDone(
      cli("create", ID, ...BARE, "--within", "1d", "--checkpoint", '{"a": 1234567890123456789, "b": 1.0}'),
      "CREATED",
    );
    expect(jobText()).toContain('"a": 1234567890123456789,\n    "b": 1.0\n');
  });

  it('takes "" as an address for none', async () => {
    await expectDone(cli("create", ID, ...BARE, "--within", "1d", "--result-address", ""), "CREATED");
    expect(job().result_address).toBe("");
  });

  it.each([
    ["45s", "2026-11-30T12:00:45Z"],
    ["30m", "2026-11-30T12:30:00Z"],
    ["1h30m", "2026-11-30T13:30:00Z"],
    ["2d", "2026-12-02T12:00:00Z"],
    ["1w", "2026-12-07T12:00:00Z"],
  ])("--in and --within %s are counted from now", async (length, moment) => {
    await expectDone(cli("create", ID, ...BARE, "--in", length, "--within", "3w"), "CREATED");
    expect(job()).toMatchObject({ next_wake_at: moment, deadline: "2026-12-21T12:00:00Z" });
    await expectDone(cli("create", "harbor-0002", ...BARE, "--within", length), "CREATED");
    expect(job("harbor-0002")).toMatchObject({ deadline: moment });
  });

  it.each(["30", "m", "-1h", "1.5h", "soon", ""])("--in %j is no length of time", async (length) => {
    await expectRefused(cli("create", ID, ...BARE, "--within", "2d", `--in=${length}`), 2, "USAGE", "--in", "30m");
  });

  it("takes fields from a file, options over them, and keeps keys that it does not know", async () => {
    const from = join(repository, "job.json");
    writeFileSync(from, JSON.stringify(jobDocument(ID, { x_team: ["a"], max_attempts: 3, budget_tokens: 5 })));
    await expectDone(cli("create", "--from", "job.json", "--max-attempts", "4"), "CREATED");
    expect(job()).toMatchObject({ ...jobDocument(ID), x_team: ["a"], max_attempts: 4, budget_tokens: 5, result_address: ID });
    await expectDone(cli("create", "harbor-0002", "--from", from), "CREATED");
    expect(job("harbor-0002")).toMatchObject({ job_id: "harbor-0002", result_address: "harbor-0002" });
  });

  it("takes fields from standard input", async () => {
    await expectDone(fromStdin(jobDocument(ID, { result_address: "" }), "create"), "CREATED");
    expect(job()).toMatchObject({ ...jobDocument(ID), result_address: "" });
  });

  it("refuses a job without an end, and says how to give one", async () => {
    await expectRefused(cli("create", ID, ...BARE), 2, "USAGE", "--within", "--deadline");
  });

  it("refuses a missing or wrong field by its name", async () => {
    await expectRefused(
      cli("create", ID, "--within", "1d", "--harness", "script", "--objective", "x"),
      2,
      "SCHEMA",
      "owner_claim is missing",
    );
    await expectRefused(cli("create", ID, ...BARE, "--within", "1d", "--owner", "lower"), 2, "SCHEMA", "owner_claim", "lower");
    await expectRefused(cli("create", ID, ...BARE, "--within", "1d", "--max-attempts", "0"), 2, "SCHEMA", "max_attempts");
    await expectRefused(cli("create", ID, ...BARE, "--within", "1d", "--checkpoint", "[1]"), 2, "SCHEMA", "--checkpoint");
    await expectRefused(cli("create", ID, "--from", "nowhere.json"), 2, "USAGE", "nowhere.json");
    await expectRefused(cli("create", "--within", "1d", ...BARE), 2, "SCHEMA", "job_id is missing");
  });

  it.each([
    "status",
    "lease",
    "attempt_count",
    "event_receipts",
    "tokens_used",
    "completed_at",
    "updated_at",
    "last_wake_checkpoint_sha256",
  ])("refuses %s by name: transitions keep it", async (field) => {
    await expectRefused(fromStdin(jobDocument(ID, { [field]: null }), "create"), 2, "SCHEMA", field, "leave it out");
  });

  it.each([
    ["--at", "2026-12-01", "--in", "3h"],
    ["--deadline", "2026-12-02", "--within", "2d"],
  ])("refuses %s %s with %s %s, which give one field twice", async (...twice) => {
    await expectRefused(cli("create", ID, ...BARE, ...twice), 2, "USAGE", "both give");
  });

  it("refuses an id that exists, also in another case", async () => {
    putJob(jobs, ID);
    await expectRefused(cli("create", ID, ...BARE, "--within", "1d"), 3, "EXISTS", ID);
    await expectRefused(cli("create", "Harbor-0001", ...BARE, "--within", "1d"), 3, "EXISTS", ID);
  });

  it("refuses an id whose file is broken, rather than writing over it", async () => {
    writeFileSync(join(jobs, `${ID}.json`), "<<<<<<< HEAD\n");
    await expectRefused(cli("create", ID, ...BARE, "--within", "1d"), 3, "CORRUPT", `${ID}.json`);
  });

  it("refuses an address whose page already stands at git HEAD, unless told so", async () => {
    mkdirSync(join(repository, "p"));
    writeFileSync(join(repository, "p", `${ID}.md`), "done\n");
    writeFileSync(join(repository, "p/harbor-other-1.md"), "done\n");
    await expectDone(cli("create", ID, ...BARE, "--within", "1d"), "CREATED");
    commitAll(repository);
    await expectRefused(cli("create", "harbor-other-1", ...BARE, "--within", "1d"), 3, "PAGE_EXISTS", "harbor-other-1");
    await expectDone(cli("create", "harbor-other-1", ...BARE, "--within", "1d", "--allow-existing-page"), "CREATED");
  });

  it("refuses what can only fail: a deadline that is over, or comes before the first wake", async () => {
    await expectRefused(cli("create", ID, ...BARE, "--deadline", "2026-11-30T11:00:00Z"), 2, "USAGE", "is already over");
    await expectRefused(cli("create", ID, ...BARE, "--in", "3d", "--within", "2d"), 2, "USAGE", "before its first wake");
  });
});

describe("update", () => {
  it("changes the owner's fields and nothing else", async () => {
    putJob(jobs, ID, { x_team: 1 });
    await expectDone(cli("update", ID, "--objective", "Another line.", "--in", "1h", "--budget-tokens", "99999"), "UPDATED");
    expect(job()).toMatchObject({
      ...jobDocument(ID),
      x_team: 1,
      objective: "Another line.",
      next_wake_at: "2026-11-30T13:00:00Z",
      budget_tokens: 99_999,
      updated_at: atNoon(),
    });
    expect(faultOfJobFileForm(jobText())).toBeUndefined();
  });

  it("lowers a budget, and never raises or removes it", async () => {
    putJob(jobs, ID, { budget_tokens: 500 });
    await expectDone(cli("update", ID, "--budget-tokens", "400"), "UPDATED");
    await expectRefused(cli("update", ID, "--budget-tokens", "401"), 2, "SCHEMA", "budget_tokens is 400", "never raised");
    await expectRefused(fromStdin({ budget_tokens: null }, "update", ID), 2, "SCHEMA", "budget_tokens");
    expect(job().budget_tokens).toBe(400);
  });

  it("takes edits from standard input, and refuses what transitions keep by name", async () => {
    putJob(jobs, ID);
    await expectDone(fromStdin({ max_attempts: 5, x_note: "kept" }, "update", ID), "UPDATED");
    expect(job()).toMatchObject({ max_attempts: 5, x_note: "kept" });
    for (const field of ["status", "lease", "attempt_count", "event_receipts", "tokens_used", "blocker"]) {
      await expectRefused(fromStdin({ [field]: null }, "update", ID), 2, "SCHEMA", field, "leave it out");
    }
    await expectRefused(fromStdin({ job_id: "harbor-0002" }, "update", ID), 2, "SCHEMA", "job_id");
  });

  it("with nothing to change is wrong use", async () => {
    putJob(jobs, ID);
    await expectRefused(cli("update", ID), 2, "USAGE", "at least one field");
  });

  it("under a live lease leaves checkpoint, harness, predicate and address alone; the rest may change", async () => {
    putJob(jobs, ID);
    expect(await tickRow()).toMatchObject({ action: "WAKE" });
    const { lease } = job();
    const shielded = [
      ["--checkpoint", '{"step": 2}'],
      ["--harness", "codex"],
      ["--predicate", '{"type": "result_address_on_head"}'],
      ["--result-address", "harbor-page-0001"],
    ];
    for (const edit of shielded) await expectRefused(cli("update", ID, ...edit), 3, "LEASE_HELD", `${lease?.until}`);
    await expectDone(cli("update", ID, "--deadline", "2027-01-01"), "UPDATED");
    expect(job()).toMatchObject({ deadline: "2027-01-01T00:00:00Z", lease });
    // The lease's end is the shield's end.
    const after = await runCli({ cwd: repository }, "update", ID, ...(shielded[1] ?? []), "--now", `${lease?.until}`);
    expect(after).toMatchObject({ code: 0, json: { state: "UPDATED" } });
  });

  it("refuses a job that is not there or terminal", async () => {
    await expectRefused(cli("update", ID, "--within", "1d"), 3, "NOT_FOUND", ID);
    for (const status of ["DONE", "CANCELLED", "EXHAUSTED"]) {
      putJob(jobs, ID, { status });
      await expectRefused(cli("update", ID, "--within", "1d"), 3, status, "changes no more");
    }
  });
});

describe("list and show", () => {
  it("show prints one job whole, its defaults filled in and its numbers as they stand", async () => {
    writeFileSync(putJob(jobs, ID), jobText().replace('"step": 0', '"step": 12345678901234567890'));
    const before = directoryBytes(repository);
    const run = await runCli({ cwd: repository }, "show", ID);
    expect(run).toMatchObject({
      code: 0,
      stderr: "",
      json: { ...jobDocument(ID), checkpoint: { step: expect.any(Number) }, max_attempts: 8, status: "OPEN", lease: null },
    });
    expect(run.stdout).toContain("12345678901234567890");
    expect(directoryBytes(repository)).toEqual(before);
  });

  it("show of a job that is not there is NOT_FOUND, exit 3", async () => {
    await expectRefused(cli("show", ID), 3, "NOT_FOUND", ID);
  });

  it("list has a line for each job in the order of their names, and changes nothing", async () => {
    for (const id of ["harbor-0003", "harbor-0001", "harbor-0002"]) putJob(jobs, id);
    writeFileSync(join(jobs, "_aside.json"), "{");
    writeFileSync(join(jobs, ".hidden-0001.json"), "{");
    const before = directoryBytes(repository);
    const { json, code } = await cli("list");
    expect(code).toBe(0);
    expect(json).toMatchObject({
      ok: true,
      jobs: [
        {
          job_id: "harbor-0001",
          status: "OPEN",
          attempt_count: 0,
          harness: "script",
          objective: "Keep the release train moving.",
        },
        { job_id: "harbor-0002" },
        { job_id: "harbor-0003" },
      ],
    });
    expect(directoryBytes(repository)).toEqual(before);
  });

  it("list of an empty directory is an empty list, exit 0", async () => {
    expect(await cli("list")).toMatchObject({ code: 0, json: { ok: true, jobs: [] } });
  });
});

describe("cancel", () => {
  it("ends the job for good, with a receipt; a second cancel changes nothing", async () => {
    putJob(jobs, ID);
    await tickRow();
    await expectDone(cli("cancel", ID, "--reason", "no longer wanted"), "CANCELLED");
    expect(job()).toMatchObject({ status: "CANCELLED", lease: null, cancel_reason: "no longer wanted" });
    expect(job().event_receipts.at(-1)).toMatchObject({ event: "cancel", ts: atNoon() });
    const once = jobBytes(jobs);
    expect(await expectDone(cli("cancel", ID, "--reason", "again"), "CANCELLED")).toMatchObject({ replay: true });
    expect(await tickRow("2027-06-01")).toMatchObject({ action: "STOP", reason: "CANCELLED" });
    expect(jobBytes(jobs)).toEqual(once);
  });

  it("leaves a DONE or EXHAUSTED job what it is", async () => {
    for (const status of ["DONE", "EXHAUSTED"]) {
      putJob(jobs, ID, { status });
      await expectRefused(cli("cancel", ID), 3, status);
    }
    await expectRefused(cli("cancel", "harbor-0002"), 3, "NOT_FOUND");
  });
});

describe("block and unblock", () => {
  it("a blocked job sleeps until it is unblocked", async () => {
    putJob(jobs, ID);
    await tickRow();
    await expectDone(cli("block", ID, "--detail", "waits for a key", "--kind", "external_authority"), "BLOCKED");
    // sha256 over {"detail":"waits for a key","kind":"external_authority"}, its first 16 digits.
    const fingerprint = "401abe9b66b0e16c";
    expect(job()).toMatchObject({
      status: "BLOCKED",
      blocker: { kind: "external_authority", detail: "waits for a key", fingerprint },
      last_blocker_fingerprint: fingerprint,
    });
    const blocked = jobBytes(jobs);
    expect(await expectDone(cli("block", ID, "--detail", "waits for a key"), "BLOCKED")).toMatchObject({ replay: true });
    expect(await tickRow("2026-11-30T18:00:00Z")).toMatchObject({
      action: "STOP",
      reason: "BLOCKED_UNCHANGED",
      status: "BLOCKED",
    });
    expect(jobBytes(jobs)).toEqual(blocked);

    await expectDone(cli("unblock", ID), "UNBLOCKED");
    expect(job()).toMatchObject({ status: "LEASED", blocker: null, last_blocker_fingerprint: null, in_backoff: true });
    expect(await expectDone(cli("unblock", ID), "UNBLOCKED")).toMatchObject({ replay: true });
  });

  it("a job that never woke is woken once it is unblocked", async () => {
    putJob(jobs, ID);
    await expectDone(cli("block", ID, "--detail", "x", "--kind", "unavailable_state"), "BLOCKED");
    expect(await tickRow()).toMatchObject({ action: "STOP", reason: "BLOCKED_UNCHANGED" });
    await expectDone(cli("unblock", ID), "UNBLOCKED");
    expect(await tickRow()).toMatchObject({ action: "WAKE", attempt_id: `${ID}-a01` });
  });

  it("refuses a kind that there is not, a terminal job, and one that is not there", async () => {
    putJob(jobs, ID, { status: "DONE" });
    await expectRefused(cli("block", ID, "--detail", "x", "--kind", "laziness"), 2, "USAGE", "--kind", "external_authority");
    await expectRefused(cli("block", ID, "--detail", "x"), 3, "DONE");
    await expectRefused(cli("unblock", ID), 3, "DONE");
    await expectRefused(cli("block", "harbor-0002", "--detail", "x"), 3, "NOT_FOUND");
  });
});

describe("stdout", () => {
  it("of a verb reaches a job from options before and after it alike", async () => {
    mkdirSync(join(repository, "elsewhere"));
    putJob(join(repository, "elsewhere"), ID);
    for (const args of [
      ["show", ID, "--jobs-dir", "elsewhere"],
      ["--jobs-dir", "elsewhere", "show", ID],
    ]) {
      expect(await runCli({ cwd: repository }, ...args)).toMatchObject({ code: 0, json: { job_id: ID } });
    }
  });

  /** Runs the command line in this process, on what it takes for a terminal. */
  async function onTerminal(...args: readonly string[]): Promise<{ readonly out: string; readonly code: number }> {
    const { out, code } = await runInProcess({ cwd: repository, stdoutIsTerminal: true }, ...args);
    return { out, code };
  }

  it("on a terminal is a table of one line a job, and JSON with --json", async () => {
    putJob(jobs, ID, { objective: `Long ${"x".repeat(200)}` });
    putJob(jobs, "harbor-later-0001", { next_wake_at: "2026-12-01" });
    const tick = await onTerminal("--tick", "--now", atNoon());
    expect(tick.code).toBe(0);
    expect(tick.out.split("\n")).toMatchObject([
      expect.stringMatching(/^JOB +ACTION +REASON +STATUS +ATTEMPT +NEXT WAKE$/),
      expect.stringMatching(/^harbor-0001 +WAKE +RUNNABLE +LEASED +harbor-0001-a01 +2026-11-30T11:00:00Z$/),
      expect.stringMatching(/^harbor-later-0001 +STOP +NOT_DUE +OPEN +- +2026-12-01T00:00:00Z$/),
      expect.stringMatching(/^1 wake, 0 back off, 0 held, 1 stop, 0 broken/),
      "file store: wake_jobs",
      "",
    ]);
    const list = await onTerminal("list", "--now", atNoon());
    expect(list.out.split("\n")[1]).toMatch(/^harbor-0001 +offered +now +in 15m: back off +\S+ +1\/8 +0 +Long x+$/);
    expect((await onTerminal("holds")).out).toMatch(/^HOLD .*\nCURSOR_QUOTA_HOLD +cursor, grokbot, issue1316/);
    const show = await onTerminal("show", ID, "--now", atNoon());
    expect(show.out).toMatch(/^Long x+\njob +harbor-0001\nstate +offered \(LEASED\), since 2026-11-30T12:00:00Z \(now\)\n/);
    expect(JSON.parse((await onTerminal("list", "--json")).out)).toMatchObject({ ok: true });
    expect(JSON.parse((await onTerminal("--tick", "--now", atNoon(), "--json")).out)).toMatchObject({ state: "TICKED" });
  });

  it("on a terminal, and stderr, pass on no escape sequence that somebody wrote into a job file or its name", async () => {
    putJob(jobs, ID, { objective: "\u001b]0;owned\u0007 \u009b2J\u202etxet", harness: "script" });
    writeFileSync(join(jobs, "\u001b[2J\nharbor-0001 STOP.json"), "{}");
    const list = await onTerminal("list");
    expect(list.out).toContain("\\u001b]0;owned\\u0007 \\u009b2J\\u202etxet");
    const tick = await onTerminal("--tick", "--now", atNoon());
    const piped = await runCli({ cwd: repository }, "list");
    for (const text of [list.out, tick.out, piped.stderr]) expect(text).not.toMatch(/[^\P{Cc}\n]|\p{Bidi_Control}/u);
    expect(tick.out.split("\n").filter((line) => line.startsWith("harbor-0001 "))).toHaveLength(1);
  });

  it("on a terminal is left alone by errors and refusals, which stderr tells", async () => {
    expect(await onTerminal("show", ID)).toEqual({ out: "", code: 3 });
    expect(await onTerminal("--tick", "--now", "yesterday")).toEqual({ out: "", code: 2 });
  });

  // A pseudo terminal is had from util-linux's script, which not every machine has; the tests above need none.
  it.runIf(hasScript())("is taken for a terminal where it is one", () => {
    putJob(jobs, ID);
    const command = [process.execPath, CLI, "--tick", "--now", atNoon()].map((word) => `'${word}'`).join(" ");
    const seen = execFileSync("script", ["-qec", command, "/dev/null"], { cwd: repository, encoding: "utf8", stdio: "pipe" });
    expect(seen).toMatch(/^JOB +ACTION .*\r\nharbor-0001 +WAKE /);
    expect(seen).not.toContain("{");
  });

  it("is written whole before the process ends, however long it is", async () => {
    for (let n = 1000; n < 3000; n++) putJob(jobs, `harbor-${n}`, { next_wake_at: "2026-12-01" });
    const run = await runCli<TickSummary>({ cwd: repository }, "--tick", "--now", atNoon());
    expect(run.stdout.length).toBeGreaterThan(200_000);
    expect(run.json.jobs).toHaveLength(2000);
  });
});

function hasScript(): boolean {
  try {
    return execFileSync("script", ["--version"], { encoding: "utf8" }).includes("util-linux");
  } catch {
    return false;
  }
}
