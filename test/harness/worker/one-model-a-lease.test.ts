import fc from "fast-check";
import { expect, test } from "vitest";
import type { Conclusion } from "../../../src/harness/program.ts";
import { type Run, type Schedule, type Weather, World } from "../../support/worker-world.ts";

const weather: fc.Arbitrary<Weather> = fc.record({
  beforeMs: fc.oneof(fc.nat(50), fc.nat(90_000)),
  afterMs: fc.oneof(fc.nat(50), fc.nat(90_000)),
  fate: fc.constantFrom("answered", "answered", "answered", "refused", "answer_lost"),
});

const run: fc.Arbitrary<Run> = fc.record({
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

test("at most one model a lease: no delay, lost answer, clock jump or crash lets two of one job live at once", async () => {
  let starts = 0;
  await fc.assert(
    fc.asyncProperty(schedule, async (given) => {
      const world = new World(given);
      expect(await world.play()).toEqual([]);
      starts += world.ran.length;
    }),
    { numRuns: 40 },
  );
  expect(starts).toBeGreaterThan(100);
});
