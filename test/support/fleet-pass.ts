import { join } from "node:path";
import { expect } from "vitest";
import type { Job } from "../../src/job/job.ts";
import type { Row, TickSummary } from "../../src/wake/summary.ts";
import { jobBytes } from "./directory-bytes.ts";
import { type ExpectedTick, expectedFleet } from "./fleet-repository.ts";
import { faultOfJobFileForm } from "./job-file-form.ts";
import { newReceipts } from "./new-receipts.ts";
import { type CliOptions, type CliRun, runCli } from "./run-cli.ts";

const expected = expectedFleet();

/** What one pass did: its answer, and the job files before and after it. */
export interface FleetPass {
  readonly run: CliRun<TickSummary>;
  readonly before: Readonly<Record<string, string>>;
  readonly after: Readonly<Record<string, string>>;
}

/** One tick over a fleet's repository at the moment that `expected.json` is about. */
export async function passOver(options: CliOptions, ...args: readonly string[]): Promise<FleetPass> {
  const jobs = join(options.cwd, "wake_jobs");
  const before = jobBytes(jobs);
  const run = await runCli<TickSummary>(options, "--tick", "--now", expected.now, ...args);
  return { run, before, after: jobBytes(jobs) };
}

/** Rows by the names that `expected.json` uses: a job by its id, a broken file by its own name. */
export function rowsByName(summary: TickSummary): ReadonlyMap<string, Row> {
  return new Map(summary.jobs.map((row) => [row.error?.file?.replace("wake_jobs/", "") ?? `${row.job_id}`, row]));
}

export function jobIn(bytes: string | undefined): Job {
  return JSON.parse(
    Buffer.from(bytes ?? "", "latin1")
      .toString()
      .replace(/^\uFEFF/, ""),
  );
}

/** Holds one job against what is expected of it: its row, and each byte of its file. */
export function expectJob(name: string, want: ExpectedTick, { run, before, after }: FleetPass): void {
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
  const added = newReceipts(history, is.event_receipts);
  // Everything stays but what is counted again.
  expect(is.event_receipts.length).toBeGreaterThanOrEqual(history.length);
  expect(is.event_receipts.slice(is.event_receipts.length - added.length)).toEqual(added);
  const event = want.receipt ?? (want.action === "WAKE" ? "wake" : undefined);
  const noted = event === undefined ? [] : [event];
  expect(added.map((receipt) => receipt.event)).toEqual(want.mailed ? [...noted, "deliver"] : noted);
  if (want.action !== "WAKE") {
    // A hold shuts every road and leaves the job as it is.
    expect(is.lease).toEqual(want.action === "HOLD" ? was.lease : null);
    return;
  }
  expect(added[0]).toMatchObject({ attempt_id: want.attempt_id, lease_id: is.lease?.lease_id, ts: expected.now });
  expect(Date.parse(`${is.lease?.until}`)).toBe(Date.parse(expected.now) + is.lease_seconds * 1000);
  // A lease id that stood anywhere in the file before would not fence off its holder.
  expect(before).not.toContain(is.lease?.lease_id);
  if (want.reason === "RUNNABLE") expect(is.attempt_count).toBe((was.attempt_count ?? 0) + 1);
  if (want.fresh_lease) expect(is.attempt_count).toBe(was.attempt_count);
}
