import { expect, test } from "vitest";
import { cancelJob } from "../../../src/owner/change-job.ts";
import { LEASE_SECONDS, type Run, type Schedule, type Weather, WORLD_JOBS, World } from "../../support/worker-world.ts";

const [TRAIN = ""] = WORLD_JOBS;
const QUICK: Weather = { beforeMs: 10, afterMs: 10, fate: "answered" };
const LEASE_MS = LEASE_SECONDS * 1000;

function runOf(fields: Partial<Run>): Run {
  return { takesMs: 1_000, obeys: true, outcome: { kind: "outcome", outcome: { in: "1d" } }, ...fields };
}

function world(fields: Partial<Schedule>): World {
  return new World({ weather: [QUICK], runs: [runOf({})], crashes: [], jumps: [], ...fields });
}

test("a run of twenty leases keeps its lease by renewals, and the job counts one attempt", async () => {
  const long = world({ runs: [runOf({ takesMs: 20 * LEASE_MS })], timeLimitMs: 100 * LEASE_MS });
  expect(await long.play(21 * LEASE_MS)).toEqual([]);
  expect(long.ran.filter(({ jobId }) => jobId === TRAIN)).toMatchObject([{ why: "ended" }]);
  expect(await long.job(TRAIN)).toMatchObject({ attempt_count: 1, checkpoint: { step: 1 }, lease: null });
});

test("a run whose job is cancelled meanwhile is stopped within a renewal", async () => {
  const cancelled = world({ runs: [runOf({ takesMs: 20 * LEASE_MS })] });
  cancelled.at(30_000, (fleet) => cancelJob(fleet, TRAIN, "enough"));
  await cancelled.play(4 * LEASE_MS);
  const [run] = cancelled.ran.filter(({ jobId }) => jobId === TRAIN);
  expect(run?.why).toContain("CANCELLED");
  expect(run?.toMs).toBeLessThanOrEqual(30_000 + LEASE_MS / 3 + 1_000);
});

test("a store that cannot be reached from the middle of a run stops it before its lease is over; its outcome is told later", async () => {
  const away: Weather = { beforeMs: 10, afterMs: 10, fate: "refused" };
  const lost = world({
    runs: [runOf({ takesMs: 20 * LEASE_MS, obeys: false, outcome: { kind: "failed", detail: "stopped" } }), runOf({})],
    // Two workers look, and claim a job each; then nothing gets through for a while.
    weather: [...Array<Weather>(6).fill(QUICK), ...Array<Weather>(60).fill(away), QUICK],
  });
  expect(await lost.play(6 * LEASE_MS)).toEqual([]);
  const [first] = lost.ran;
  expect(first?.why).toContain("was not renewed in time");
  expect((first?.toMs ?? 0) - (first?.fromMs ?? 0)).toBeLessThan(LEASE_MS);
  expect(lost.told.some(({ event }) => event === "ended")).toBe(true);
});

test("a program that does not heed the order to end is killed before the lease is over", async () => {
  const deaf = world({ runs: [runOf({ takesMs: 20 * LEASE_MS, obeys: false })], timeLimitMs: 30_000 });
  await deaf.play(2 * LEASE_MS);
  expect(deaf.ran[0]?.why).toBe("its time limit was reached");
  expect((deaf.ran[0]?.toMs ?? 0) - (deaf.ran[0]?.fromMs ?? 0)).toBeLessThanOrEqual(30_000 + 10_000 + 1_000);
});

test("a claim that is answered when its lease is over starts no run: another may have been offered the job", async () => {
  const late = world({ weather: [QUICK, QUICK, { ...QUICK, afterMs: LEASE_MS }, QUICK] });
  await late.play(2 * LEASE_MS);
  expect(late.told).toContainEqual(expect.objectContaining({ event: "ended", ok: false, message: "not_started" }));
});

test("the lease is kept while the workspace is made, however long that takes", async () => {
  const slow = world({ runs: [runOf({ preparesMs: 3 * LEASE_MS })] });
  expect(await slow.play(4 * LEASE_MS)).toEqual([]);
  expect(slow.ran.filter(({ jobId }) => jobId === TRAIN)).toMatchObject([{ why: "ended" }]);
  expect(await slow.job(TRAIN)).toMatchObject({ attempt_count: 1, checkpoint: { step: 1 } });
});

test("a job that is cancelled while the workspace is made is not run", async () => {
  const cancelled = world({ runs: [runOf({ preparesMs: 3 * LEASE_MS })] });
  cancelled.at(30_000, (fleet) => cancelJob(fleet, TRAIN, "enough"));
  await cancelled.play(4 * LEASE_MS);
  expect(cancelled.ran.filter(({ jobId }) => jobId === TRAIN)).toEqual([]);
});
