import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decide, type PageState, type TickFacts } from "../../src/job/decide.ts";
import { formatJob } from "../../src/job/file/format-job.ts";
import { asDocument, parseJob } from "../../src/job/file/parse-job.ts";
import { CURSOR_QUOTA_HOLD, findHold } from "../../src/job/hold.ts";
import { isLeaseLive, isTerminal, type Job, momentOf } from "../../src/job/job.ts";
import { countOf } from "../../src/job/mail-grace.ts";
import { attemptNumber, hasMovedSinceWake } from "../../src/job/offer.ts";
import type { Json, JsonObject } from "../../src/json/json.ts";
import { formatCanonical, parseLossless } from "../../src/json/lossless-json.ts";
import { arbitraryJob } from "../support/arbitrary-job.ts";
import { fuzzRuns } from "../support/fuzz-runs.ts";
import { TRAIN } from "../support/job-builder.ts";
import { NOON } from "../support/noon.ts";
import { factsAtNoon, pagesAll, tickOnce } from "../support/tick-once.ts";

const RUNS = fuzzRuns(2000);

const arbitraryFacts: fc.Arbitrary<TickFacts> = fc
  .record({
    seconds: fc.oneof(fc.constantFrom(0, 1, 59, 60, 61, 900, -900), fc.integer({ min: -100_000, max: 100_000 })),
    deliver: fc.boolean(),
    isLifted: fc.boolean(),
    page: fc.constantFrom<PageState>("durable", "absent"),
  })
  .map(({ seconds, deliver, isLifted, page }) =>
    factsAtNoon({ now: NOON + seconds, deliver, holds: isLifted ? [] : [CURSOR_QUOTA_HOLD], pages: pagesAll(page) }),
  );

/** Several passes of rival workers, clocks that go back among them. */
const arbitraryPasses = fc.array(arbitraryFacts, { minLength: 1, maxLength: 8 });

function rewritten(job: Job): Job {
  return parseJob(formatJob(job, "x.json"), TRAIN, "x.json");
}

describe("decide", () => {
  test("never throws on a valid job, whether its page is known or not", () => {
    fc.assert(
      fc.property(arbitraryJob, arbitraryFacts, (job, facts) => {
        expect(decide(job, facts).action).not.toBe("ASK_PAGE");
        decide(job, { ...facts, pages: new Map() });
      }),
      RUNS,
    );
  });

  test("gives the same decision for the same job and facts, and touches neither", () => {
    fc.assert(
      fc.property(arbitraryJob, arbitraryFacts, (job, facts) => {
        const before = formatCanonical(asDocument(job));
        expect(decide(job, facts)).toEqual(decide(job, facts));
        tickOnce(job, facts);
        expect(formatCanonical(asDocument(job))).toBe(before);
      }),
      fuzzRuns(1000),
    );
  });

  test("never answers WAKE past the deadline, over budget, under a hold, blocked or terminal", () => {
    fc.assert(
      fc.property(arbitraryJob, arbitraryFacts, (job, facts) => {
        const decision = decide(job, facts);
        if (decision.action !== "WAKE") return;
        expect(facts.now).toBeLessThan(momentOf(job.deadline));
        expect(job.tokens_used).toBeLessThan(job.budget_tokens);
        expect(findHold(facts.holds, [job.harness])).toBeUndefined();
        expect(isTerminal(job.status)).toBe(false);
        expect(job.blocker === null || job.blocker.fingerprint !== job.last_blocker_fingerprint).toBe(true);
      }),
      RUNS,
    );
  });

  test("never answers WAKE before next_wake_at or under a live lease, but to send mail that is owed", () => {
    fc.assert(
      fc.property(arbitraryJob, arbitraryFacts, (job, facts) => {
        const decision = decide(job, facts);
        if (decision.action !== "WAKE") return;
        const isEarly = isLeaseLive(job, facts.now) || facts.now < momentOf(job.next_wake_at);
        if (isEarly) expect(decision.reason).toBe("REDELIVER");
        if (decision.reason === "REDELIVER") expect(facts.deliver).toBe(true);
      }),
      RUNS,
    );
  });

  test("without --deliver offers nothing again but what nobody took up, and notes no hold", () => {
    fc.assert(
      fc.property(arbitraryJob, arbitraryFacts, (job, facts) => {
        const { decision } = tickOnce(job, { ...facts, deliver: false });
        expect(decision.reason).not.toBe("REDELIVER");
        expect(decision.changes.map(({ kind }) => kind)).not.toContain("note_hold");
      }),
      fuzzRuns(1000),
    );
  });
});

describe("a tick", () => {
  test("replayed at the same moment changes nothing", () => {
    fc.assert(
      fc.property(arbitraryJob, arbitraryFacts, (job, facts) => {
        const first = tickOnce(job, facts);
        const again = tickOnce(rewritten(first.job), facts, { lease_id: "lease-again" });
        expect(again.decision.changes).toEqual([]);
        expect(again.decision.action).not.toBe("WAKE");
      }),
      RUNS,
    );
  });

  test("that changes nothing leaves the very same job, and one that wakes or backs off changes it", () => {
    fc.assert(
      fc.property(arbitraryJob, arbitraryFacts, (job, facts) => {
        const { decision, job: after } = tickOnce(job, facts);
        if (decision.changes.length === 0) expect(after).toBe(job);
        if (decision.action === "WAKE" || decision.action === "BACKOFF") expect(decision.changes).not.toEqual([]);
      }),
      fuzzRuns(1000),
    );
  });

  test("writes a job that is read again as the same one", () => {
    fc.assert(
      fc.property(arbitraryJob, arbitraryFacts, (job, facts) => {
        const { job: after } = tickOnce(job, facts);
        const text = formatJob(after, "x.json");
        expect(formatJob(parseJob(text, TRAIN, "x.json"), "x.json")).toBe(text);
      }),
      fuzzRuns(1000),
    );
  });
});

describe("however many passes, with a clock that jumps both ways", () => {
  /** Runs the passes and hands each step to the law. */
  function eachPass(
    job: Job,
    passes: readonly TickFacts[],
    law: (before: Job, after: Job, facts: TickFacts, action: string) => void,
  ): void {
    let before = job;
    for (const [i, facts] of passes.entries()) {
      const { job: after, decision } = tickOnce(before, facts, { lease_id: `lease-pass-${i}`, worker_id: `worker-${i % 3}` });
      law(before, after, facts, `${decision.action} ${decision.reason}`);
      before = after;
    }
  }

  test("attempt_count and tokens_used never fall, and a count moves by one at a time; progress alone resets the stalls", () => {
    fc.assert(
      fc.property(arbitraryJob, arbitraryPasses, (job, passes) => {
        eachPass(job, passes, (before, after, _facts, verdict) => {
          const numbers = before.event_receipts.map(({ event, attempt_id }) =>
            event === "wake" ? (attemptNumber(attempt_id, before.job_id) ?? 0) : 0,
          );
          const latest = Math.max(before.attempt_count, ...numbers);
          expect(after.attempt_count).toBe(verdict === "WAKE RUNNABLE" ? latest + 1 : before.attempt_count);
          expect(after.tokens_used).toBe(before.tokens_used);
          expect(after.budget_tokens).toBe(before.budget_tokens);
          expect(after.unclaimed_count).toBe(before.unclaimed_count + (verdict === "BACKOFF UNCLAIMED" ? 1 : 0));
          const isProgress = verdict.startsWith("WAKE") && hasMovedSinceWake(before);
          const stalls = before.no_progress_count + (verdict === "BACKOFF UNCHANGED_CHECKPOINT" ? 1 : 0);
          expect(after.no_progress_count).toBe(isProgress ? 0 : stalls);
        });
      }),
      RUNS,
    );
  });

  test("a terminal job never changes", () => {
    fc.assert(
      fc.property(arbitraryJob, arbitraryPasses, (job, passes) => {
        eachPass(job, passes, (before, after) => {
          if (isTerminal(before.status)) expect(after).toBe(before);
        });
      }),
      RUNS,
    );
  });

  test("at most one lease is live: none is minted beside a live one, none is shortened", () => {
    fc.assert(
      fc.property(arbitraryJob, arbitraryPasses, (job, passes) => {
        eachPass(job, passes, (before, after, facts, verdict) => {
          if (!isLeaseLive(before, facts.now)) return;
          if (isTerminal(after.status)) expect(after.lease).toEqual(isTerminal(before.status) ? before.lease : null);
          else if (verdict === "WAKE REDELIVER") {
            expect(after.attempt_count).toBe(before.attempt_count);
            expect(momentOf(after.lease?.until ?? "")).toBeGreaterThanOrEqual(momentOf(before.lease?.until ?? ""));
          } else expect(after.lease).toEqual(before.lease);
        });
      }),
      RUNS,
    );
  });

  test("a WAKE leaves a live lease with a fresh lease_id, and its wake receipt last", () => {
    fc.assert(
      fc.property(arbitraryJob, arbitraryPasses, (job, passes) => {
        eachPass(job, passes, (before, after, facts, verdict) => {
          if (!verdict.startsWith("WAKE")) return;
          expect(after.status).toBe("LEASED");
          expect(isLeaseLive(after, facts.now)).toBe(true);
          expect(after.lease?.lease_id).not.toBe(before.lease?.lease_id);
          expect(after.event_receipts.at(-1)).toMatchObject({ event: "wake", lease_id: after.lease?.lease_id });
        });
      }),
      RUNS,
    );
  });

  test("receipts are added, or counted again when an attempt is offered again; none is taken out", () => {
    fc.assert(
      fc.property(arbitraryJob, arbitraryPasses, (job, passes) => {
        eachPass(job, passes, (before, after, _facts, verdict) => {
          const attempt = /REDELIVER|REOFFER/.test(verdict) ? after.event_receipts.at(-1)?.attempt_id : undefined;
          const kept = before.event_receipts.filter(({ event, attempt_id }) => event !== "wake" || attempt_id !== attempt);
          expect(after.event_receipts.slice(0, kept.length)).toEqual(kept);
          const offers = (job: Job): number =>
            job.event_receipts
              .filter((receipt) => receipt.event === "wake" && receipt.attempt_id === attempt)
              .reduce((sum, receipt) => sum + countOf(receipt), 0);
          if (attempt !== undefined) expect(offers(after)).toBe(offers(before) + 1);
        });
      }),
      fuzzRuns(1000),
    );
  });

  test("no attempt is minted twice", () => {
    fc.assert(
      fc.property(arbitraryJob, arbitraryPasses, (job, passes) => {
        const minted: (string | undefined)[] = [];
        eachPass(job, passes, (_before, after, _facts, verdict) => {
          if (verdict === "WAKE RUNNABLE") minted.push(after.event_receipts.at(-1)?.attempt_id);
        });
        expect(new Set(minted).size).toBe(minted.length);
      }),
      fuzzRuns(1000),
    );
  });

  test("checkpoint, owner's fields and unknown keys are left as they are", () => {
    const isOthers = (key: string): boolean =>
      key.startsWith("x_") ||
      ["job_id", "owner_claim", "harness", "objective", "checkpoint", "deadline", "backoff_seconds"].includes(key);
    const othersOf = (job: Job): Json => Object.fromEntries(Object.entries(asDocument(job)).filter(([key]) => isOthers(key)));
    fc.assert(
      fc.property(arbitraryJob, arbitraryPasses, (job, passes) => {
        eachPass(job, passes, (before, after) =>
          expect(formatCanonical(othersOf(after))).toBe(formatCanonical(othersOf(before))),
        );
      }),
      fuzzRuns(1000),
    );
  });
});

describe("a rewrite", () => {
  test("keeps unknown keys and the text of every number outside the job's own counts", () => {
    const timeless = ({ next_wake_at, deadline, last_wake_at, lease, ...rest }: JsonObject): JsonObject => rest;
    fc.assert(
      fc.property(arbitraryJob, (job) => {
        const after = asDocument(rewritten(job));
        expect(formatCanonical(timeless(after))).toBe(formatCanonical(timeless(asDocument(job))));
      }),
      RUNS,
    );
  });

  test("moves no moment", () => {
    fc.assert(
      fc.property(arbitraryJob, (job) => {
        const after = rewritten(job);
        expect(momentOf(after.deadline)).toBe(momentOf(job.deadline));
        expect(momentOf(after.next_wake_at)).toBe(momentOf(job.next_wake_at));
        if (job.lease !== null) expect(momentOf(after.lease?.until ?? "")).toBe(momentOf(job.lease.until));
      }),
      fuzzRuns(1000),
    );
  });

  test("of a rewrite is the same text", () => {
    fc.assert(
      fc.property(arbitraryJob, (job) => {
        const text = formatJob(job, "x.json");
        expect(formatJob(rewritten(job), "x.json")).toBe(text);
        expect(formatCanonical(parseLossless(text))).toBe(formatCanonical(asDocument(rewritten(job))));
      }),
      fuzzRuns(1000),
    );
  });
});

test("the jobs that these laws are tried on meet every rule of the table", () => {
  const met = new Set<string>();
  const sample = fc.sample(fc.tuple(arbitraryJob, arbitraryFacts), { numRuns: 8000, seed: 1 });
  for (const [job, facts] of sample) {
    const { decision } = tickOnce(job, facts);
    met.add(`${decision.action} ${decision.reason}`);
    for (const { kind } of decision.changes) met.add(kind);
  }
  expect([...met].sort()).toEqual([
    "BACKOFF UNCHANGED_CHECKPOINT",
    "BACKOFF UNCLAIMED",
    "HOLD CURSOR_QUOTA_HOLD",
    "STOP BLOCKED_UNCHANGED",
    "STOP BUDGET",
    "STOP CANCELLED",
    "STOP DEADLINE",
    "STOP DONE",
    "STOP EXHAUSTED",
    "STOP LEASE_HELD",
    "STOP MAIL_OWED",
    "STOP MAX_ATTEMPTS",
    "STOP NOT_DUE",
    "STOP NO_PROGRESS",
    "WAKE REDELIVER",
    "WAKE REOFFER",
    "WAKE RUNNABLE",
    "back_off",
    "complete",
    "drop_blocker",
    "exhaust",
    "note_hold",
    "offer_again",
    "remember_blocker",
    "wake",
  ]);
});
