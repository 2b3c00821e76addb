import fc from "fast-check";
import { expect, test } from "vitest";
import { decide, type PageState, type TickFacts } from "../../src/job/decide.ts";
import { CURSOR_QUOTA_HOLD } from "../../src/job/hold.ts";
import { momentOf } from "../../src/job/job.ts";
import { STATES } from "../../src/report/job-state.ts";
import { viewOf } from "../../src/report/job-view.ts";
import { isMove } from "../../src/report/outlook.ts";
import { timelineOf } from "../../src/report/timeline.ts";
import { arbitraryJob } from "../support/arbitrary-job.ts";
import { fuzzRuns } from "../support/fuzz-runs.ts";
import { NOON } from "../support/noon.ts";
import { factsAtNoon, pagesAll } from "../support/tick-once.ts";

const arbitraryFacts: fc.Arbitrary<TickFacts> = fc
  .record({
    seconds: fc.integer({ min: -100_000, max: 100_000 }),
    deliver: fc.boolean(),
    isLifted: fc.boolean(),
    page: fc.constantFrom<PageState>("durable", "absent"),
  })
  .map(({ seconds, deliver, isLifted, page }) =>
    factsAtNoon({ now: NOON + seconds, deliver, holds: isLifted ? [] : [CURSOR_QUOTA_HOLD], pages: pagesAll(page) }),
  );

test("the next moment is true: no tick before it does anything, and the tick at it does what is said", () => {
  fc.assert(
    fc.property(arbitraryJob, arbitraryFacts, fc.nat(1_000_000), (job, facts, later) => {
      const { next } = viewOf(job, facts);
      const at = next === null ? undefined : momentOf(next.at);
      if (at !== undefined && next !== null) {
        const { action, reason } = next;
        expect(decide(job, { ...facts, now: at })).toMatchObject({ action, reason });
        expect(at).toBeGreaterThanOrEqual(facts.now);
      }
      const before = Math.min(facts.now + later, at === undefined ? Number.POSITIVE_INFINITY : at - 1);
      if (before >= facts.now) expect(isMove(decide(job, { ...facts, now: before }))).toBe(false);
    }),
    fuzzRuns(3000),
  );
});

test("every job has a state, and what has ended, waits or works by itself needs nobody", () => {
  const met = new Set<string>();
  fc.assert(
    fc.property(arbitraryJob, arbitraryFacts, (job, facts) => {
      const { state, need, since } = viewOf(job, facts);
      met.add(state);
      expect(STATES).toContain(state);
      if (["done", "cancelled", "waiting", "working", "offered", "held"].includes(state)) expect(need).toBeNull();
      if (["exhausted", "blocked", "overdue", "unclaimed"].includes(state)) expect(need).not.toBeNull();
      if (since !== null) expect(momentOf(since)).toBeTypeOf("number");
    }),
    fuzzRuns(3000),
  );
  expect(met.size).toBeGreaterThan(10);
});

test("a timeline has every receipt once, in its order", () => {
  fc.assert(
    fc.property(arbitraryJob, (job) => {
      const { attempts, others } = timelineOf(job);
      const events = [...attempts.flatMap((attempt) => attempt.events), ...others];
      expect(events.map(({ event }) => event).sort()).toEqual(job.event_receipts.map(({ event }) => event).sort());
    }),
    fuzzRuns(1000),
  );
});
