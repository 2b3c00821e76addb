import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { Job } from "../../src/job/job.ts";
import type { TickSummary } from "../../src/wake/summary.ts";
import { jobBytes } from "../support/directory-bytes.ts";
import { expectedFleet, fleetRepository } from "../support/fleet-repository.ts";
import { freshFleet } from "../support/fresh-fleet.ts";
import { putJob } from "../support/job-builder.ts";
import { atNoon } from "../support/noon.ts";
import { type CliRun, runCli } from "../support/run-cli.ts";

let repository: string;
let jobs: string;
beforeEach(() => {
  ({ repository, jobs } = freshFleet());
});

function tick(now: string): Promise<CliRun<TickSummary>> {
  return runCli<TickSummary>({ cwd: repository }, "--tick", "--now", now);
}

function jobNow(jobId: string): Job {
  return JSON.parse(readFileSync(join(jobs, `${jobId}.json`), "utf8"));
}

/** One moment in the spellings that contract §2 reads, and what each is in UTC. */
const SPELLINGS: readonly (readonly [spelled: string, utc: string])[] = [
  ["2026-11-30T12:00:00Z", "2026-11-30T12:00:00Z"],
  ["2026-11-30T13:00:00+01:00", "2026-11-30T12:00:00Z"],
  ["2026-11-30T08:30:00-03:30", "2026-11-30T12:00:00Z"],
  ["2026-12-01T02:00:00+14:00", "2026-11-30T12:00:00Z"],
  ["2026-11-30T12:00:00", "2026-11-30T12:00:00Z"],
  ["2026-11-30t12:00:00z", "2026-11-30T12:00:00Z"],
  ["2026-11-30T12:00:00.999999Z", "2026-11-30T12:00:00Z"],
  ["2026-11-30T13:00:00.5+01:00", "2026-11-30T12:00:00Z"],
  ["2026-11-30", "2026-11-30T00:00:00Z"],
  ["2024-02-29T12:00:00Z", "2024-02-29T12:00:00Z"],
];
const IMPOSSIBLE = [
  "2026-02-30",
  "2026-02-29T12:00:00Z",
  "2026-11-30T24:00:00Z",
  "2026-12-31T23:59:60Z",
  "2026-13-01",
  "2026-00-10",
  "2026-11-30T12:60:00Z",
  "2026-11-30T12:00:00+24:00",
  "2026-11-30 noon",
  "20261130T120000Z",
  "tomorrow",
  "",
];

describe("a time is read with Z or an offset, as a date, or as a local date-time that counts as UTC", () => {
  it.each(SPELLINGS)("--now %s is %s", async (spelled, utc) => {
    expect(await tick(spelled)).toMatchObject({ code: 0, json: { now: utc } });
  });

  it.each(SPELLINGS)("a job due at %s is due at %s, not a second before, and is written back so", async (spelled, utc) => {
    putJob(jobs, "harbor-spelled-1", { next_wake_at: spelled, created_at: "2024-01-01T00:00:00Z" });
    const before = jobBytes(jobs);
    const justBefore = new Date(Date.parse(utc) - 1000).toISOString();
    expect((await tick(justBefore)).json.jobs).toMatchObject([{ action: "STOP", reason: "NOT_DUE", next_wake_at: utc }]);
    expect(jobBytes(jobs)).toEqual(before);
    expect((await tick(utc)).json.jobs).toMatchObject([{ action: "WAKE", next_wake_at: utc }]);
    expect(jobNow("harbor-spelled-1").next_wake_at).toBe(utc);
  });

  it.each(SPELLINGS)("a deadline of %s is over at %s, and not a second before", async (spelled, utc) => {
    putJob(jobs, "harbor-deadline-1", { next_wake_at: "2020-01-01", deadline: spelled });
    const justBefore = new Date(Date.parse(utc) - 1000).toISOString();
    expect((await tick(justBefore)).json.jobs).toMatchObject([{ action: "WAKE" }]);
    expect((await tick(utc)).json.jobs).toMatchObject([{ action: "STOP", reason: "DEADLINE", status: "EXHAUSTED" }]);
  });

  it("impossible times are refused on the command line by name", async () => {
    for (const time of IMPOSSIBLE) {
      const run = await tick(time);
      expect(run, time).toMatchObject({ code: 2, json: { ok: false, code: "USAGE" } });
    }
  });

  it("impossible times in a file make an ERROR row that names field and value", async () => {
    for (const [index, time] of IMPOSSIBLE.entries()) putJob(jobs, `harbor-bad-${10 + index}`, { next_wake_at: time });
    const { json, code } = await tick(atNoon());
    expect(code).toBe(1);
    expect(json.jobs.map((row) => row.reason)).toEqual(IMPOSSIBLE.map(() => "SCHEMA"));
    for (const [index, time] of IMPOSSIBLE.entries()) {
      expect(json.jobs[index]?.error?.message).toContain(`next_wake_at is ${JSON.stringify(time)}`);
    }
  });
});

describe("the machine's own time zone", () => {
  it("changes no answer and no byte", async () => {
    const answers = new Set<string>();
    for (const zone of ["Pacific/Kiritimati", "America/St_Johns", "UTC"]) {
      const fleet = fleetRepository();
      const run = await runCli({ cwd: fleet, env: { TZ: zone } }, "--tick", "--now", expectedFleet().now);
      // Lease ids are drawn at random; everything else must be alike.
      const files = JSON.stringify(jobBytes(join(fleet, "wake_jobs"))).replace(/lease-[0-9a-f]{24}/g, "lease");
      answers.add(`${run.stdout}${run.stderr}${files}`);
    }
    expect(answers.size).toBe(1);
  });

  it("changes no time that create writes", async () => {
    for (const zone of ["Pacific/Kiritimati", "America/St_Johns", "UTC"]) {
      const id = `harbor-${zone.replace("/", "-")}`;
      const flags = ["--owner", "TESTS", "--harness", "script", "--objective", "x"];
      const times = ["--now", "2026-11-30", "--at", "2026-11-30T12:00:00", "--within", "1d"];
      await runCli({ cwd: repository, env: { TZ: zone } }, "create", id, ...flags, ...times);
      expect(jobNow(id)).toMatchObject({
        created_at: "2026-11-30T00:00:00Z",
        next_wake_at: "2026-11-30T12:00:00Z",
        deadline: "2026-12-01T00:00:00Z",
      });
    }
  });
});

describe("a clock that goes back", () => {
  const later = (seconds: number): string => new Date(Date.parse(atNoon()) + seconds * 1000).toISOString();
  const DAY = 86_400;

  it("mints nothing twice and shortens no lease", async () => {
    putJob(jobs, "harbor-clock-001");
    expect((await tick(atNoon())).json.jobs).toMatchObject([{ action: "WAKE", attempt_id: "harbor-clock-001-a01" }]);
    const woken = jobBytes(jobs);
    for (const now of [later(-DAY), later(-1), atNoon()]) {
      expect((await tick(now)).json.jobs).toMatchObject([{ action: "STOP", reason: "LEASE_HELD" }]);
      expect(jobBytes(jobs)).toEqual(woken);
    }
  });

  it("counts its attempts on without gap or double, however it jumps", async () => {
    putJob(jobs, "harbor-clock-002", { max_attempts: 1000 });
    const minted: string[] = [];
    const leases = new Set<string | undefined>();
    for (const seconds of [
      0,
      -DAY,
      0,
      901,
      901 - DAY,
      1100,
      1100 - DAY,
      1100,
      2100,
      2100 - DAY,
      2400,
      9000,
      -DAY,
      20_000,
      40_000,
    ]) {
      const before = jobNow("harbor-clock-002");
      const [row] = (await tick(later(seconds))).json.jobs;
      const after = jobNow("harbor-clock-002");
      if (row?.action === "WAKE") {
        minted.push(`${row.attempt_id}`);
        leases.add(after.lease?.lease_id);
      }
      if (before.lease && Date.parse(before.lease.until) > Date.parse(later(seconds))) expect(after.lease).toEqual(before.lease);
      expect(after.attempt_count).toBe(minted.length);
      expect(after.event_receipts).toHaveLength(minted.length);
    }
    expect(minted.length).toBeGreaterThan(2);
    expect(minted).toEqual(minted.map((_, index) => `harbor-clock-002-a0${index + 1}`));
    expect(leases.size).toBe(minted.length);
  });

  it("does not revive a job whose deadline has been seen to pass", async () => {
    putJob(jobs, "harbor-clock-003", { deadline: atNoon() });
    expect((await tick(atNoon())).json.jobs).toMatchObject([{ reason: "DEADLINE" }]);
    const ended = jobBytes(jobs);
    expect((await tick(later(-DAY / 2))).json.jobs).toMatchObject([{ action: "STOP", reason: "EXHAUSTED" }]);
    expect(jobBytes(jobs)).toEqual(ended);
  });
});
