import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { Job } from "../../src/job/job.ts";
import type { Row, TickSummary } from "../../src/wake/summary.ts";
import { directoryBytes, jobBytes } from "../support/directory-bytes.ts";
import { type ExpectedTick, expectedFleet, fleetRepository } from "../support/fleet-repository.ts";
import { git } from "../support/fresh-repository.ts";
import { faultOfJobFileForm } from "../support/job-file-form.ts";
import { type CliRun, runCli } from "../support/run-cli.ts";

const expected = expectedFleet();
const NOW = ["--now", expected.now] as const;

/** What one pass did: its answer, and the job files before and after it. */
interface Pass {
  readonly run: CliRun<TickSummary>;
  readonly before: Readonly<Record<string, string>>;
  readonly after: Readonly<Record<string, string>>;
}

async function pass(repository: string, ...args: readonly string[]): Promise<Pass> {
  const jobs = join(repository, "wake_jobs");
  const before = jobBytes(jobs);
  const run = await runCli<TickSummary>({ cwd: repository }, "--tick", ...NOW, ...args);
  return { run, before, after: jobBytes(jobs) };
}

/** Rows by the names that `expected.json` uses: a job by its id, a broken file by its own name. */
function rowsByName(summary: TickSummary): ReadonlyMap<string, Row> {
  return new Map(summary.jobs.map((row) => [row.error?.file?.replace("wake_jobs/", "") ?? `${row.job_id}`, row]));
}

function jobIn(bytes: string | undefined): Job {
  return JSON.parse(
    Buffer.from(bytes ?? "", "latin1")
      .toString()
      .replace(/^\uFEFF/, ""),
  );
}

/** Holds one job against what is expected of it: its row, and each byte of its file. */
function expectJob(name: string, want: ExpectedTick, { run, before, after }: Pass): void {
  const row = rowsByName(run.json).get(name);
  const file = name.endsWith(".json") ? name : `${name}.json`;
  expect(row).toMatchObject({ action: want.action, reason: want.code ?? want.reason, invoke_model: want.action === "WAKE" });
  expect(after[file] !== before[file], "whether the file changed").toBe(want.writes);
  if (want.action === "ERROR") {
    expect(row?.error).toMatchObject({ code: want.code, file: want.file });
    expect(row?.error?.message).toContain(want.file);
    return;
  }
  expect(row).toMatchObject({ job_id: name, status: want.status_after });
  expect(row?.attempt_id).toBe(want.attempt_id);
  if (want.writes) expectRewrite(want, before[file], after[file]);
  if (want.next_wake_at !== undefined) expect(row?.next_wake_at).toBe(want.next_wake_at);
}

function expectRewrite(want: ExpectedTick, before: string | undefined, after: string | undefined): void {
  const [was, is] = [jobIn(before), jobIn(after)];
  expect(faultOfJobFileForm(Buffer.from(after ?? "", "latin1").toString())).toBeUndefined();
  expect(is.status).toBe(want.status_after);
  expect(is).toMatchObject({
    ...(want.next_wake_at !== undefined && { next_wake_at: want.next_wake_at }),
    ...(want.no_progress_count !== undefined && { no_progress_count: want.no_progress_count }),
    ...(want.unclaimed_count !== undefined && { unclaimed_count: want.unclaimed_count }),
    updated_at: expected.now,
  });
  expect(Object.keys(is)).toEqual(expect.arrayContaining(Object.keys(was)));
  for (const key of want.keeps_keys ?? []) expect(Reflect.get(is, key)).toEqual(Reflect.get(was, key));
  for (const text of want.keeps_text ?? []) expect(after).toContain(text);
  expect(is.checkpoint).toEqual(was.checkpoint);

  const history = was.event_receipts ?? [];
  expect(is.event_receipts.slice(0, history.length)).toEqual(history);
  const added = is.event_receipts.slice(history.length);
  const event = want.receipt ?? (want.action === "WAKE" ? "wake" : undefined);
  expect(added.map((receipt) => receipt.event)).toEqual(event === undefined ? [] : [event]);
  if (want.action !== "WAKE") {
    expect(is.lease).toBeNull();
    return;
  }
  expect(added[0]).toMatchObject({ attempt_id: want.attempt_id, lease_id: is.lease?.lease_id, ts: expected.now });
  expect(Date.parse(`${is.lease?.until}`)).toBe(Date.parse(expected.now) + is.lease_seconds * 1000);
  // A lease id that stood anywhere in the file before would not fence off its holder.
  expect(before).not.toContain(is.lease?.lease_id);
  if (want.reason === "RUNNABLE") expect(is.attempt_count).toBe((was.attempt_count ?? 0) + 1);
  if (want.fresh_lease) expect(is.attempt_count).toBe(was.attempt_count);
}

describe("one tick over the fleet", () => {
  let repository: string;
  let first: Pass;
  beforeAll(async () => {
    repository = fleetRepository();
    first = await pass(repository);
  });

  it.each(Object.entries(expected.jobs))("decides and leaves %s as the table of contract §3 says", (name, want) => {
    expectJob(name, want, first);
  });

  it("has one row for each job file and for nothing else", () => {
    expect([...rowsByName(first.run.json).keys()].sort()).toEqual(Object.keys(expected.jobs).sort());
    expect(first.run.json.jobs).toHaveLength(Object.keys(expected.jobs).length);
  });

  it("leaves no stray file and takes none away", () => {
    expect(Object.keys(first.after)).toEqual(Object.keys(first.before));
  });

  it("counts its rows and says that no model ran", () => {
    const { WAKE, STOP, BACKOFF, HOLD, ERROR } = expected.counts;
    expect(first.run.json).toMatchObject({
      ok: false,
      state: "TICKED",
      now: expected.now,
      wake_count: WAKE,
      stop_count: STOP,
      backoff_count: BACKOFF,
      hold_count: HOLD,
      error_count: ERROR,
      invoke_model_count: WAKE,
      deliveries: [],
      delivered_count: 0,
      process_model_invocations: 0,
      invoke_model: false,
    });
  });

  it("exits 1 because of its ERROR rows, and tells each of them on stderr", () => {
    expect(first.run.code).toBe(1);
    for (const { file } of Object.values(expected.jobs)) if (file !== undefined) expect(first.run.stderr).toContain(file);
    expect(first.run.stderr).not.toMatch(/\n\s+at /);
  });

  it("leaves its counts in _last_tick.json, which git does not see", () => {
    const { jobs: _, deliveries: __, ...counts } = first.run.json;
    expect(JSON.parse(directoryBytes(repository)["wake_jobs/_last_tick.json"] ?? "")).toEqual(counts);
    expect(git(repository, "status", "--porcelain")).not.toContain("_last_tick");
  });

  it("changes nothing when it runs again at the same moment", async () => {
    const second = await pass(repository);
    expect(second.after).toEqual(first.after);
    expect(second.run.code).toBe(1);
    expect(second.run.json).toMatchObject({ wake_count: 0, backoff_count: 0, error_count: expected.counts.ERROR });
  });
});

describe("--dry-run over the fleet", () => {
  it("prints the rows of the tick and changes nothing at all", async () => {
    const repository = fleetRepository();
    const before = directoryBytes(repository);
    const dry = await pass(repository, "--dry-run");
    expect(directoryBytes(repository)).toEqual(before);
    const wet = await pass(repository);
    expect(dry.run.stdout).toBe(wet.run.stdout);
    expect(dry.run.code).toBe(wet.run.code);
    expect(wet.after).not.toEqual(wet.before);
  });
});
