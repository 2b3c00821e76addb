import fc from "fast-check";
import { expect, test } from "vitest";
import type { Conclusion } from "../../../src/harness/program.ts";
import { CHAOS_TIMEOUT_MS, COUNTS } from "../../chaos/counts.ts";
import { type Run, type Schedule, type Weather, World } from "../../support/worker-world.ts";

const weather: fc.Arbitrary<Weather> = fc.record({
  beforeMs: fc.oneof(fc.nat(50), fc.nat(90_000)),
  afterMs: fc.oneof(fc.nat(50), fc.nat(90_000)),
  fate: fc.constantFrom("answered", "answered", "answered", "refused", "answer_lost"),
});

const run: fc.Arbitrary<Run> = fc.record({
  preparesMs: fc.oneof(fc.constant(0), fc.nat(90_000)),
  takesMs: fc.oneof(fc.nat(5_000), fc.nat(400_000)),
  obeys: fc.boolean(),
  outcome: fc.constantFrom<Conclusion>(
    { kind: "nothing_left" },
    { kind: "failed", detail: "it broke" },
    { kind: "outcome", outcome: { checkpoint: { step: 7 } } },
    { kind: "outcome", outcome: { in: "10s" } },
  ),
});

const schedule: fc.Arbitrary<Schedule> = fc.record({
  weather: fc.array(weather, { minLength: 1, maxLength: 30 }),
  runs: fc.array(run, { minLength: 1, maxLength: 8 }),
  crashes: fc.array(fc.record({ worker: fc.nat(1), atMs: fc.nat(900_000) }), { maxLength: 3 }),
  jumps: fc.array(fc.record({ worker: fc.nat(1), atMs: fc.nat(900_000), seconds: fc.integer({ min: -90_000, max: 90_000 }) }), {
    maxLength: 4,
  }),
});

const QUICK: Weather = { beforeMs: 0, afterMs: 0, fate: "answered" };

/** A worker claims, and hears of it when its lease is over and another was offered the job. */
const CLAIM_ANSWERED_LATE: Schedule = {
  weather: [{ ...QUICK, beforeMs: 30 }, QUICK, { ...QUICK, afterMs: 90_000 }, QUICK],
  runs: [{ takesMs: 150_000, obeys: false, outcome: { kind: "failed", detail: "it broke" } }],
  crashes: [],
  jumps: [],
};

test(
  "at most one model a lease: no delay, lost answer, clock jump or crash lets two of one job live at once",
  async () => {
    let starts = 0;
    await fc.assert(
      fc.asyncProperty(schedule, async (given) => {
        const world = new World(given);
        expect(await world.play()).toEqual([]);
        starts += world.ran.length;
      }),
      {
        numRuns: COUNTS.workerSchedules,
        examples: [[CLAIM_ANSWERED_LATE]],
        // A schedule that fails is told in time, with its seed, however much smaller it could still be made.
        interruptAfterTimeLimit: CHAOS_TIMEOUT_MS / 2,
        markInterruptAsFailure: true,
      },
    );
    expect(starts).toBeGreaterThan(100);
  },
  CHAOS_TIMEOUT_MS,
);
