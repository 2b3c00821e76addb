import { backoffPause } from "./backoff.ts";
import { blockerNews } from "./blocker.ts";
import { findHold, type HoldName, type HoldRule } from "./hold.ts";
import { isHoldNoted } from "./hold-receipt.ts";
import { type ExhaustReason, isLeaseLive, isTerminal, type Job, momentOf, type TerminalStatus } from "./job.ts";
import { isPastMailGrace } from "./mail-grace.ts";
import { isAtWork, isMailOwed, isUnanswered, isWokenCheckpoint, latestOffer, type Offer } from "./offer.ts";
import { restOfPredicateHolds } from "./predicate.ts";
import type { Seconds } from "./time.ts";

/** What git HEAD says of `p/<address>.md`: whether a non-empty regular file stands there. */
export type PageAtHead = "durable" | "absent";

/** `unknown`: git could not be asked, which is not the same as absent. */
export type PageState = PageAtHead | "unknown";

/** What a tick knows of the world. Everything that decide needs beside the job itself. */
export interface TickFacts {
  readonly now: Seconds;
  /** Whether this tick mails (`--deliver`). */
  readonly deliver: boolean;
  readonly holds: readonly HoldRule[];
  /** The pages asked for so far. */
  readonly pages: ReadonlyMap<string, PageState>;
}

export type StopReason = TerminalStatus | ExhaustReason | "BLOCKED_UNCHANGED" | "LEASE_HELD" | "NOT_DUE" | "MAIL_OWED";
export type WakeReason = "RUNNABLE" | "REDELIVER" | "REOFFER";
export type BackoffReason = "UNCLAIMED" | "UNCHANGED_CHECKPOINT";

/** One move of the job. A decision lists those it needs, in order; `applyChange` makes them. */
export type Change =
  | { readonly kind: "complete" }
  | { readonly kind: "exhaust"; readonly reason: ExhaustReason }
  | { readonly kind: "remember_blocker" }
  | { readonly kind: "drop_blocker" }
  | { readonly kind: "note_hold"; readonly hold: HoldRule }
  | { readonly kind: "wake" }
  /** REDELIVER leaves a back-off as it is, REOFFER ends it. */
  | { readonly kind: "offer_again"; readonly endsBackoff: boolean }
  | { readonly kind: "back_off"; readonly reason: BackoffReason };

export type Verdict =
  | { readonly action: "STOP"; readonly reason: StopReason }
  | { readonly action: "WAKE"; readonly reason: WakeReason }
  | { readonly action: "BACKOFF"; readonly reason: BackoffReason }
  | { readonly action: "HOLD"; readonly reason: HoldName };

export type Decision =
  | (Verdict & { readonly changes: readonly Change[] })
  /** The rest of the predicate holds: find out about this page, then decide again. */
  | { readonly action: "ASK_PAGE"; readonly address: string }
  /** The job would be woken, backed off or exhausted, and nobody can say whether it is done. */
  | { readonly action: "CANNOT_TELL"; readonly address: string };

/**
 * Decides what one tick does with one job: the table of contract §3, first match wins. Pure: the same job, facts and
 * pages give the same decision. Throws nothing on a valid job.
 */
export function decide(job: Job, facts: TickFacts): Decision {
  // 1
  if (isTerminal(job.status)) return stop(job.status);
  // 2
  if (job.result_address === "" || !restOfPredicateHolds(job)) return decideUndone(job, facts);
  const page = facts.pages.get(job.result_address);
  switch (page) {
    case undefined:
      return { action: "ASK_PAGE", address: job.result_address };
    case "durable":
      return stop("DONE", { kind: "complete" });
    case "absent":
      return decideUndone(job, facts);
    case "unknown": {
      const decision = decideUndone(job, facts);
      return needsTruth(decision) ? { action: "CANNOT_TELL", address: job.result_address } : decision;
    }
  }
}

type Undone = Verdict & { readonly changes: readonly Change[] };

/** What may not happen to a job that is perhaps done; a row that only waits says what it waits for. */
function needsTruth({ action, changes }: Undone): boolean {
  return action === "WAKE" || action === "BACKOFF" || changes.some(({ kind }) => kind === "exhaust");
}

/** Rules 3 to 13. */
function decideUndone(job: Job, facts: TickFacts): Undone {
  const isFree = (): boolean => !isAtWork(job, facts.now);
  // 3
  if (facts.now >= momentOf(job.deadline) && isFree()) return exhaust("DEADLINE");
  // 4
  if (job.tokens_used >= job.budget_tokens && isFree()) return exhaust("BUDGET");
  switch (blockerNews(job)) {
    // 5
    case "unchanged":
      return stop("BLOCKED_UNCHANGED");
    // 5b
    case "first_seen":
      return stop("BLOCKED_UNCHANGED", { kind: "remember_blocker" });
    // 5c
    case "changed":
      return decideUnblocked({ ...job, blocker: null, status: "OPEN" }, facts, [{ kind: "drop_blocker" }]);
    case "none":
      return decideUnblocked(job, facts, []);
  }
}

/** Rules 6 to 13: the job is not blocked, or no longer (then `before` already drops its blocker). */
function decideUnblocked(job: Job, facts: TickFacts, before: readonly Change[]): Undone {
  const { now, deliver, holds } = facts;
  /** The latest offer, where its mail is owed. Most jobs of a pass stop before anybody asks. */
  const owedOffer = (): Offer | undefined => {
    const offer = latestOffer(job);
    return offer !== undefined && isMailOwed(job, offer, holds) ? offer : undefined;
  };
  const maySend = (): boolean => {
    const owed = deliver ? owedOffer() : undefined;
    return owed !== undefined && isPastMailGrace(job, owed, now);
  };
  // 6
  if (isLeaseLive(job, now)) return maySend() ? redeliver(before) : stop("LEASE_HELD", ...before);
  // 6b
  const untilDue = momentOf(job.next_wake_at) - now;
  if (job.in_backoff && untilDue <= backoffPause(job, job.unclaimed_count) && maySend()) return redeliver(before);
  // 7
  if (untilDue > 0) return stop("NOT_DUE", ...before);
  // 8
  const offer = latestOffer(job);
  const hold = findHold(holds, [job.harness]);
  if (hold !== undefined) {
    const mustNote = deliver && !isHoldNoted(job, offer, hold);
    return { action: "HOLD", reason: hold.name, changes: mustNote ? [...before, { kind: "note_hold", hold }] : before };
  }
  // 9
  if (deliver && owedOffer() !== undefined) return maySend() ? redeliver(before) : stop("MAIL_OWED", ...before);
  const isUnmoved = isWokenCheckpoint(job);
  // 10
  if (offer !== undefined && isUnanswered(job, offer)) {
    return job.in_backoff || !isUnmoved ? reoffer(before) : backOff("UNCLAIMED", before);
  }
  const isStalled = isUnmoved && !job.in_backoff;
  // 11
  if (isStalled && job.no_progress_count + 1 >= job.max_attempts) return exhaust("NO_PROGRESS", before);
  // 12
  if (job.attempt_count >= job.max_attempts) return exhaust("MAX_ATTEMPTS", before);
  // 12b
  if (isStalled) return backOff("UNCHANGED_CHECKPOINT", before);
  // 13
  return { action: "WAKE", reason: "RUNNABLE", changes: [...before, { kind: "wake" }] };
}

function stop(reason: StopReason, ...changes: readonly Change[]): Undone {
  return { action: "STOP", reason, changes };
}

function exhaust(reason: ExhaustReason, before: readonly Change[] = []): Undone {
  return { action: "STOP", reason, changes: [...before, { kind: "exhaust", reason }] };
}

function backOff(reason: BackoffReason, before: readonly Change[]): Undone {
  return { action: "BACKOFF", reason, changes: [...before, { kind: "back_off", reason }] };
}

function redeliver(before: readonly Change[]): Undone {
  return { action: "WAKE", reason: "REDELIVER", changes: [...before, { kind: "offer_again", endsBackoff: false }] };
}

function reoffer(before: readonly Change[]): Undone {
  return { action: "WAKE", reason: "REOFFER", changes: [...before, { kind: "offer_again", endsBackoff: true }] };
}
