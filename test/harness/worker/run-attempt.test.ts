import { describe, expect, test } from "vitest";
import { momentOf } from "../../../src/job/job.ts";
import { cancelJob, updateJob } from "../../../src/owner/change-job.ts";
import { atNoon } from "../../support/noon.ts";
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

test("a run whose adapter is held meanwhile is stopped within a renewal, and none is started after it", async () => {
  const held = world({ runs: [runOf({ takesMs: 20 * LEASE_MS })], adapter: { id: "library", heldFromMs: 30_000 } });
  await held.play(8 * LEASE_MS);
  expect(held.ran.length).toBeGreaterThan(0);
  for (const { why, fromMs, toMs } of held.ran) {
    expect(why).toContain("ADAPTER_HOLD");
    expect(fromMs).toBeLessThan(30_000);
    expect(toMs).toBeLessThanOrEqual(30_000 + LEASE_MS / 3 + 1_000);
  }
  expect(held.told).toContainEqual({ event: "held", state: "ADAPTER_HOLD", message: "not now" });
});

test("a run is stopped at its job's deadline, whether it knew of it from the start or hears of it by a renewal", async () => {
  const long = [runOf({ takesMs: 20 * LEASE_MS })];
  const known = world({ runs: long, fields: { deadline: atNoon(90) } });
  await known.play(4 * LEASE_MS);
  expect(known.ran[0]).toMatchObject({ why: "the job's deadline was reached" });
  expect(known.ran[0]?.toMs).toBeLessThanOrEqual(92_000);
  const moved = world({ runs: long });
  moved.at(30_000, (fleet) => updateJob(fleet, TRAIN, { deadline: atNoon(31) }));
  await moved.play(4 * LEASE_MS);
  expect(moved.ran.find(({ jobId }) => jobId === TRAIN)?.why).toContain("DEADLINE");
});

test("a run whose job's budget is used up is stopped within a renewal", async () => {
  const spent = world({ runs: [runOf({ takesMs: 20 * LEASE_MS })] });
  spent.at(30_000, (fleet) => updateJob(fleet, TRAIN, { budget_tokens: 1 }));
  await spent.play(4 * LEASE_MS);
  const [run] = spent.ran.filter(({ jobId }) => jobId === TRAIN);
  expect(run?.why).toContain("BUDGET");
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

test("what a run came to while the store was away is taken after its lease, where nobody else was offered the job", async () => {
  const away: Weather = { beforeMs: 10, afterMs: 10, fate: "refused" };
  const late = world({
    runs: [runOf({ takesMs: 30_000, outcome: { kind: "outcome", outcome: { checkpoint: { step: 7 } } } })],
    weather: [...Array<Weather>(6).fill(QUICK), ...Array<Weather>(40).fill(away), QUICK],
    tickEveryMs: 10 * LEASE_MS,
  });
  await late.play(9 * LEASE_MS);
  const { event_receipts, ...job } = await late.job(TRAIN);
  expect(job).toMatchObject({ checkpoint: { step: 7 }, attempt_count: 1 });
  const [wake, taken] = ["wake", "ack"].map((name) => event_receipts.find(({ event }) => event === name));
  expect(momentOf(taken?.ts ?? "") - momentOf(wake?.ts ?? "")).toBeGreaterThan(LEASE_SECONDS);
});

test("a clock that goes forward while a run goes on takes it nothing", async () => {
  const forward = world({
    runs: [runOf({ takesMs: 3 * LEASE_MS })],
    jumps: [0, 1].map((worker) => ({ worker, atMs: 30_000, seconds: 7_200 })),
  });
  expect(await forward.play(4 * LEASE_MS)).toEqual([]);
  expect(forward.ran.map(({ why }) => why)).toEqual(["ended", "ended"]);
});

test("a clock that goes back while a run goes on stops it before its lease is over, and the next attempt goes on", async () => {
  const back = world({
    runs: [runOf({ takesMs: 3 * LEASE_MS }), runOf({ takesMs: 3 * LEASE_MS }), runOf({})],
    jumps: [0, 1].map((worker) => ({ worker, atMs: 30_000, seconds: -7_200 })),
  });
  expect(await back.play(4 * LEASE_MS)).toEqual([]);
  expect(back.ran.map(({ why }) => why)).toEqual([
    ...Array<string>(2).fill("its lease was not renewed in time"),
    ...Array<string>(2).fill("ended"),
  ]);
});

describe("a worker that is told to stop", () => {
  const long = { takesMs: 2 * LEASE_MS };

  test("takes no more, and lets what runs end within the grace", async () => {
    const stopped = world({ runs: [runOf({ takesMs: 10_000 })], stopsAtMs: [9_500] });
    await stopped.play(4 * LEASE_MS);
    expect(stopped.ran.map(({ why }) => why)).toEqual(["ended", "ended"]);
  });

  test("stops what takes longer, and gives its attempt up", async () => {
    const stopped = world({ runs: [runOf(long)], stopsAtMs: [5_000] });
    await stopped.play(4 * LEASE_MS);
    const [run] = stopped.ran.filter(({ jobId }) => jobId === TRAIN);
    expect(run).toMatchObject({ why: "its worker was told to stop" });
    expect(run?.toMs).toBeGreaterThanOrEqual(6_000);
    expect((await stopped.job(TRAIN)).event_receipts).toContainEqual(expect.objectContaining({ event: "failed" }));
  });

  test("and told again stops it at once", async () => {
    const stopped = world({ runs: [runOf(long)], stopsAtMs: [5_000, 5_100] });
    await stopped.play(4 * LEASE_MS);
    expect(stopped.ran[0]?.toMs).toBeLessThan(6_200);
  });

  test("while its workspace is made starts no run", async () => {
    const stopped = world({ runs: [runOf({ preparesMs: 30_000 })], stopsAtMs: [5_000] });
    await stopped.play(4 * LEASE_MS);
    expect(stopped.ran).toEqual([]);
    expect((await stopped.job(TRAIN)).event_receipts).toContainEqual(expect.objectContaining({ event: "failed" }));
  });
});
