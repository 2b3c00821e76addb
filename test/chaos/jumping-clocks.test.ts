import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Clock } from "../../src/facts/clock.ts";
import type { Ids } from "../../src/facts/ids.ts";
import { formatJob } from "../../src/job/file/format-job.ts";
import { parseJob } from "../../src/job/file/parse-job.ts";
import { isLeaseLive, isTerminal, type Job, momentOf } from "../../src/job/job.ts";
import { unblockedJob } from "../../src/job/moves/block.ts";
import { attemptId, hasMovedSinceWake, latestOffer } from "../../src/job/offer.ts";
import type { Receipt } from "../../src/job/receipt.ts";
import { formatTime } from "../../src/job/time.ts";
import type { JobStore, StepFunction } from "../../src/store/job-store.ts";
import { MemoryJobStore } from "../../src/store/memory-job-store.ts";
import { runTick } from "../../src/wake/run-tick.ts";
import type { TickSummary } from "../../src/wake/summary.ts";
import { dueJob } from "../support/due-job.ts";
import { FakeMailer } from "../support/fake-mailer.ts";
import { FakePages } from "../support/fake-pages.ts";
import { newReceipts } from "../support/new-receipts.ts";
import { noHolds } from "../support/no-holds.ts";
import { NOON } from "../support/noon.ts";
import { CHAOS_TIMEOUT_MS, COUNTS } from "./counts.ts";

const JOBS = ["jumping-0001", "jumping-0002", "jumping-held1"];

const HARNESS_ACTS = ["mailed", "claimed", "moved_on", "blocker_changes", "blocker_goes", "lease_seconds_change"] as const;

/** One thing that happens to a fleet. Ticks come from rivals with clocks of their own; the rest is what harnesses do. */
type Happening =
  | { readonly kind: "tick"; readonly rival: number; readonly deliver: boolean }
  | { readonly kind: "clock_jumps"; readonly rival: number; readonly seconds: number }
  | { readonly kind: (typeof HARNESS_ACTS)[number]; readonly jobId: string };

const rival = fc.nat({ max: 2 });
const jobId = fc.constantFrom(...JOBS);
const DAY = 86_400;

const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("tick" as const), rival, deliver: fc.boolean() }) },
  // Mostly forward, as time goes, by what leases and backoffs last; and back by as much, or by a day.
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("clock_jumps" as const),
      rival,
      seconds: fc.oneof(fc.integer({ min: 0, max: 5_000 }), fc.integer({ min: -5_000, max: 5_000 }), fc.constantFrom(-DAY, DAY)),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constantFrom(...HARNESS_ACTS), jobId }),
  },
);

const happenings = fc.array(happening, { minLength: 10, maxLength: COUNTS.stepsPerSimulation, size: "max" });

describe("clocks that jump back and forth", { timeout: CHAOS_TIMEOUT_MS }, () => {
  it("mint no attempt twice, lower no counter and shorten no lease, one tick after another", async () => {
    await fc.assert(
      fc.asyncProperty(happenings, async (story) => {
        const world = new World();
        for (const happens of story) await world.let(happens);
        world.checkAttempts();
      }),
      { numRuns: COUNTS.simulations },
    );
  });

  it("nor when rival ticks are cut into each other at every call of the store", async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), happenings, async (scheduler, story) => {
        const world = new World((store) => interleaved(store, scheduler));
        const underWay = story.map((happens) => world.let(happens));
        await scheduler.waitFor(Promise.all(underWay));
        world.checkAttempts();
      }),
      { numRuns: COUNTS.simulations },
    );
  });
});

/** The scheduler says whose call comes next; each call is whole. */
function interleaved(store: JobStore, scheduler: fc.Scheduler): JobStore {
  const turn = (name: string): Promise<unknown> => scheduler.schedule(Promise.resolve(), name);
  return {
    kind: "file",
    scan: () => turn("scan").then(() => store.scan()),
    read: (id) => turn("read").then(() => store.read(id)),
    transact: (ids, step) => turn("transact").then(() => store.transact(ids, step)),
  };
}

/** A fleet in memory, three rivals that tick it by clocks of their own, and the laws, checked at every write. */
class World {
  readonly #texts: Map<string, string>;
  readonly #clocks = [0, 0, 0].map(() => ({ now: NOON }));
  readonly #reach: (store: JobStore) => JobStore;
  /** What the ticks told harnesses, by job: attempts that are run for the first time. */
  readonly #minted = new Map<string, string[]>(JOBS.map((id) => [id, []]));
  #ids = 0;

  constructor(reach: (store: JobStore) => JobStore = (store) => store) {
    const limits = { max_attempts: 3, backoff_seconds: 100, lease_seconds: 300, max_backoff_seconds: 500 };
    const harness = (id: string): string => (id === "jumping-held1" ? "cursor" : "script");
    const jobs = JOBS.map((id) => dueJob(id, { ...limits, harness: harness(id) }));
    this.#texts = new Map(jobs.map((job) => [job.job_id, formatJob(job, job.job_id)]));
    this.#reach = reach;
  }

  async let(happens: Happening): Promise<void> {
    switch (happens.kind) {
      case "tick":
        return this.#tick(this.#clocks[happens.rival] ?? { now: 0 }, happens.deliver);
      case "clock_jumps": {
        const clock = this.#clocks[happens.rival];
        if (clock !== undefined) clock.now += happens.seconds;
        return;
      }
      case "mailed":
        return this.#harness(happens.jobId, (job) => withReceipt(job, "deliver", { carrier: "MAIL" }));
      case "claimed":
        return this.#harness(happens.jobId, (job) => withReceipt(job, "delivery_claim", {}));
      case "moved_on":
        return this.#harness(happens.jobId, (job) => ({ ...job, checkpoint: { step: job.event_receipts.length + 1 } }));
      case "lease_seconds_change":
        return this.#harness(happens.jobId, (job) => ({ ...job, lease_seconds: 350 - job.lease_seconds }));
      case "blocker_goes":
        return this.#harness(happens.jobId, (job) => unblockedJob(job, momentOf(job.updated_at ?? job.next_wake_at)));
      case "blocker_changes":
        return this.#harness(happens.jobId, (job) => ({
          ...job,
          blocker: {
            kind: "unavailable_state",
            detail: "moves",
            fingerprint: String(++this.#ids).padStart(16, "0"),
          },
        }));
    }
  }

  async #tick(wall: { readonly now: number }, deliver: boolean): Promise<void> {
    const now = wall.now;
    const clock: Clock = { now: () => now, monotonic: () => 0 };
    const ids: Ids = { leaseId: () => `lease-${++this.#ids}`, claimId: () => `claim-${++this.#ids}` };
    const store = this.#reach(this.#watched(now));
    const mail = deliver ? { mailer: new FakeMailer("unreached") } : {};
    this.#hear(await runTick({ store, pages: new FakePages(), holds: noHolds, clock, ids, ...mail }, { workerId: "rival" }));
  }

  #hear(summary: TickSummary): void {
    expect(summary.ok).toBe(true);
    for (const row of summary.jobs) {
      if (row.reason === "RUNNABLE") this.#minted.get(row.job_id ?? "")?.push(row.attempt_id ?? "");
    }
  }

  /** A harness's own act on a job that still runs. The laws of ticks are not asked of it. */
  async #harness(id: string, act: (job: Job) => Job): Promise<void> {
    await this.#reach(new MemoryJobStore(this.#texts)).transact([id], ({ job }) =>
      job === undefined || isTerminal(job.status) ? { answer: null } : { answer: null, write: { job: act(job), note: "" } },
    );
  }

  /** The store, with the laws asked of each write that a tick makes at `now`. */
  #watched(now: number): JobStore {
    const store = new MemoryJobStore(this.#texts);
    return {
      kind: "file",
      scan: () => store.scan(),
      read: (id) => store.read(id),
      transact: (ids, step) => store.transact(ids, watchedStep(step, now)),
    };
  }

  checkAttempts(): void {
    for (const [id, text] of this.#texts) {
      const job = parseJob(text, id, id);
      const wakes = job.event_receipts.filter((receipt) => receipt.event === "wake");
      const numbered = Array.from({ length: job.attempt_count }, (_, i) => attemptId(id, i + 1));
      // Without gap or double; in a story of rivals the last to wake need not be the first to say so.
      expect([...(this.#minted.get(id) ?? [])].sort()).toEqual(numbered);
      expect([...new Set(wakes.map((wake) => wake.attempt_id))]).toEqual(numbered);
      expect(new Set(wakes.map((wake) => wake["lease_id"])).size).toBe(wakes.length);
    }
  }
}

function watchedStep<Answer>(step: StepFunction<Answer>, now: number): StepFunction<Answer> {
  return (found) => {
    const decided = step(found);
    if (found.job !== undefined && decided.write !== undefined) expectLawful(found.job, decided.write.job, now);
    return decided;
  };
}

function expectLawful(before: Job, after: Job, now: number): void {
  expect(isTerminal(before.status), "a terminal job is written").toBe(false);
  for (const counter of ["attempt_count", "tokens_used", "unclaimed_count"] as const) {
    expect(after[counter], counter).toBeGreaterThanOrEqual(before[counter]);
  }
  expect(after.attempt_count - before.attempt_count).toBeLessThanOrEqual(1);
  if (!hasMovedSinceWake(before)) {
    expect(after.no_progress_count, "stalls").toBeGreaterThanOrEqual(before.no_progress_count);
  }
  // What is offered or mailed again is counted again, at the end; everything else stays in its place.
  const added = newReceipts(before.event_receipts, after.event_receipts);
  const again = (receipt: Receipt): boolean =>
    added.some(
      (one) => one.event === receipt.event && one.attempt_id === receipt.attempt_id && one["carrier"] === receipt["carrier"],
    );
  const kept = before.event_receipts.filter((receipt) => !again(receipt));
  expect(after.event_receipts).toEqual([...kept, ...added]);
  expect(after.backoff_seconds).toBe(before.backoff_seconds);
  if (before.lease !== null && after.lease !== null) {
    expect(momentOf(after.lease.until), "the lease's end").toBeGreaterThanOrEqual(momentOf(before.lease.until));
  }
  if (isLeaseLive(before, now) && after.lease === null) {
    expect(isTerminal(after.status), "a live lease ends only with its job").toBe(true);
  }
  if (isLeaseLive(before, now)) expect(after.attempt_count, "no attempt beside a live lease").toBe(before.attempt_count);
  if (after.attempt_count > before.attempt_count) expect(momentOf(before.next_wake_at), "due").toBeLessThanOrEqual(now);
}

function withReceipt(job: Job, event: string, fields: Readonly<Record<string, string>>): Job {
  const wake = latestOffer(job);
  if (wake === undefined) return job;
  return {
    ...job,
    event_receipts: [...job.event_receipts, { attempt_id: wake.attempt_id, event, ts: formatTime(wake.at), ...fields }],
  };
}
