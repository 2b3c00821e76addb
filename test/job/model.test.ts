import fc from "fast-check";
import { expect, test } from "vitest";
import { TRAIN } from "../support/job-builder.ts";
import { MemoryFleet } from "../support/memory-fleet.ts";
import { NOON } from "../support/noon.ts";
import type { Model, Real } from "./model-command.ts";
import { fieldsOf } from "./model-owner.ts";
import { sequences } from "./model-walk.ts";
import type { ModelJob } from "./reference-model.ts";

const isFull = process.env["HARNESS_WAKE_CHAOS"] === "full";
/** The seed that a failure printed, to have its walks again. New walks are drawn where there is time to look into them. */
const seed = process.env["HARNESS_WAKE_SEED"] ?? (isFull ? undefined : "1");

type Terms = Pick<
  ModelJob,
  "leaseSeconds" | "base" | "cap" | "maxAttempts" | "noProgress" | "budget" | "deadline" | "predicate" | "address" | "checkpoint"
>;

const terms: fc.Arbitrary<Terms> = fc.record({
  leaseSeconds: fc.constantFrom(1, 60, 900, 900, 900),
  base: fc.constantFrom(1, 60),
  cap: fc.constantFrom(30, 300, 3600),
  maxAttempts: fc.constantFrom(1, 2, 3, 8, 8, 8),
  noProgress: fc.constantFrom(0, 0, 0, 1, 7),
  budget: fc.constantFrom(50, 200, 100_000),
  deadline: fc.constantFrom(NOON + 20_000, NOON + 10_000_000, NOON + 10_000_000),
  predicate: fc.constantFrom("status_done" as const, "result_address_on_head" as const, { step: 2 }, { step: 3 }),
  address: fc.constantFrom(TRAIN, TRAIN, TRAIN, ""),
  checkpoint: fc.constantFrom({ step: 0 }, { step: 0 }, {}, { step: "one" }),
});

function begin(agreed: Terms, mails: boolean, reached: Set<string>): { model: Model; real: Real } {
  const fleet = new MemoryFleet();
  fleet.put({
    ...fieldsOf({ ...agreed, harness: "script", nextWakeAt: NOON }),
    lease_seconds: agreed.leaseSeconds,
    backoff_seconds: agreed.base,
    max_backoff_seconds: agreed.cap,
    no_progress_count: agreed.noProgress,
  });
  const job: ModelJob = {
    ...agreed,
    status: "OPEN",
    harness: "script",
    woken: undefined,
    nextWakeAt: NOON,
    attempts: 0,
    tokens: 0,
    lease: undefined,
    blocker: undefined,
    knownBlocker: undefined,
    inBackoff: false,
    unclaimed: 0,
    exhaustedFor: undefined,
    result: undefined,
    isAutoCompleted: false,
    offers: [],
    claims: [],
    history: [],
  };
  const world = { now: NOON, pages: new Set<string>(), canTell: true, mails };
  return { model: { job, world, reached }, real: { fleet, offers: [], claims: [] } };
}

test("whatever happens in whatever order, the job stands where the contract says", async () => {
  const reached = new Set<string>();
  await fc.assert(
    fc.asyncProperty(terms, fc.boolean(), sequences, (agreed, mails, steps) =>
      fc.asyncModelRun(() => begin(agreed, mails, reached), steps),
    ),
    { numRuns: isFull ? 5_000 : 300, ...(seed !== undefined && { seed: Number(seed) }) },
  );
  // A walk that never gets anywhere would agree with anything. A few hundred miss what is rare.
  if (isFull) expect(MUST_BE_REACHED.filter((word) => !reached.has(word))).toEqual([]);
});

/** Every row of the table and every answer of the calls: a run in which one never came up has not tested it. */
const MUST_BE_REACHED = [
  ...["DONE", "CANCELLED", "EXHAUSTED", "DEADLINE", "BUDGET", "BLOCKED_UNCHANGED", "LEASE_HELD", "NOT_DUE", "MAIL_OWED"].map(
    (reason) => `STOP ${reason}`,
  ),
  ...["MAX_ATTEMPTS", "NO_PROGRESS"].map((reason) => `STOP ${reason}`),
  ...["RUNNABLE", "REDELIVER", "REOFFER"].map((reason) => `WAKE ${reason}`),
  ...["UNCLAIMED", "UNCHANGED_CHECKPOINT"].map((reason) => `BACKOFF ${reason}`),
  ...["HOLD CURSOR_QUOTA_HOLD", "ERROR TRUTH_UNAVAILABLE", "TRUTH_UNAVAILABLE", "SCHEMA", "CURSOR_QUOTA_HOLD"],
  ...["CLAIMED", "CLAIMED again", "REPLAY", "STALE_ATTEMPT", "DEADLINE", "BUDGET", "BLOCKED", "RENEWED", "LEASE_LOST"],
  ...["CHECKPOINT", "CHECKPOINT again", "DONE", "DONE again", "NOT_DURABLE", "PREDICATE", "ALREADY_FINISHED"],
  ...["FAILED", "FAILED again", "CANCELLED", "CANCELLED again", "EXHAUSTED", "UPDATED", "LEASE_HELD"],
  ...["PAGE_EXISTS", "BLOCKED again", "UNBLOCKED", "UNBLOCKED again", "RELEASED", "RELEASED again", "RECORDED"],
];
