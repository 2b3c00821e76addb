import { isMailed, isMailOwed, isUnanswered, isWokenCheckpoint, latestWake } from "./attempt.ts";
import { findHold, type HoldRule, isHoldNoted } from "./hold.ts";
import { type ExhaustReason, isLeaseLive, isTerminal, type Job, momentOf, type TerminalStatus } from "./job.ts";
import { restOfPredicateHolds } from "./predicate.ts";
import type { Seconds } from "./time.ts";

/** Whether `p/<address>.md` stands as a non-empty regular file at git HEAD. */
export type PageState = "durable" | "absent";

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
  | { readonly kind: "offer_again" }
  | { readonly kind: "back_off"; readonly reason: BackoffReason };

export type Verdict =
  | { readonly action: "STOP"; readonly reason: StopReason }
  | { readonly action: "WAKE"; readonly reason: WakeReason }
  | { readonly action: "BACKOFF"; readonly reason: BackoffReason }
  | { readonly action: "HOLD"; readonly reason: string };

export type Decision =
  | (Verdict & { readonly changes: readonly Change[] })
  /** The rest of the predicate holds: find out about this page, then decide again. */
  | { readonly action: "ASK_PAGE"; readonly address: string };

/** How long a mail is left to the pass that is at it before another pass may send it again (contract §3, rule 6). */
export const MAIL_GRACE_SECONDS = 60;

/**
 * Decides what one tick does with one job: the table of contract §3, first match wins. Pure: the same job, facts and
 * pages give the same decision. Throws nothing on a valid job.
 */
export function decide(job: Job, facts: TickFacts): Decision {
  // 1
  if (isTerminal(job.status)) return stop(job.status);
  // 2
  if (job.result_address !== "" && restOfPredicateHolds(job)) {
    const page = facts.pages.get(job.result_address);
    if (page === undefined) return { action: "ASK_PAGE", address: job.result_address };
    if (page === "durable") return stop("DONE", { kind: "complete" });
  }
  // 3, 4
  if (facts.now >= momentOf(job.deadline)) return exhaust("DEADLINE");
  if (job.tokens_used >= job.budget_tokens) return exhaust("BUDGET");
  // 5, 5b, 5c
  switch (blockerNews(job)) {
    case "unchanged":
      return stop("BLOCKED_UNCHANGED");
    case "first_seen":
      return stop("BLOCKED_UNCHANGED", { kind: "remember_blocker" });
    case "changed":
      return decideUnblocked({ ...job, blocker: null, status: "OPEN" }, facts, [{ kind: "drop_blocker" }]);
    case "none":
      return decideUnblocked(job, facts, []);
  }
}

/** Rules 6 to 13: the job is not blocked, or no longer (then `before` already drops its blocker). */
function decideUnblocked(job: Job, facts: TickFacts, before: readonly Change[]): Decision {
  const hold = (): HoldRule | undefined => findHold(facts.holds, [job.harness]);
  // 6
  if (isLeaseLive(job, facts.now)) {
    const wake = facts.deliver ? latestWake(job) : undefined;
    const isLate = wake !== undefined && facts.now - wake.at >= MAIL_GRACE_SECONDS;
    return isLate && isMailOwed(job, wake) && hold() === undefined ? wakeUp("REDELIVER", before) : stop("LEASE_HELD", ...before);
  }
  // 7
  if (facts.now < momentOf(job.next_wake_at)) return stop("NOT_DUE", ...before);
  const wake = latestWake(job);
  // 8
  const held = hold();
  if (held !== undefined) {
    const mustNote = facts.deliver && !isHoldNoted(job, wake, held);
    return { action: "HOLD", reason: held.name, changes: mustNote ? [...before, { kind: "note_hold", hold: held }] : before };
  }
  // 9
  if (wake !== undefined && isMailOwed(job, wake))
    return facts.deliver ? wakeUp("REDELIVER", before) : stop("MAIL_OWED", ...before);
  // 10
  if (wake !== undefined && isMailed(wake) && isUnanswered(job, wake)) {
    return job.in_backoff ? wakeUp("REOFFER", before) : backOff("UNCLAIMED", before);
  }
  // 11
  if (job.attempt_count >= job.max_attempts) return exhaust("MAX_ATTEMPTS", before);
  // 12
  if (isWokenCheckpoint(job) && !job.in_backoff) {
    return job.no_progress_count + 1 < job.max_attempts
      ? backOff("UNCHANGED_CHECKPOINT", before)
      : exhaust("NO_PROGRESS", before);
  }
  // 13
  return { action: "WAKE", reason: "RUNNABLE", changes: [...before, { kind: "wake" }] };
}

function blockerNews(job: Job): "none" | "unchanged" | "first_seen" | "changed" {
  if (job.blocker === null) return job.status === "BLOCKED" ? "unchanged" : "none";
  if (typeof job.last_blocker_fingerprint !== "string") return "first_seen";
  return job.blocker.fingerprint === job.last_blocker_fingerprint ? "unchanged" : "changed";
}

function stop(reason: StopReason, ...changes: readonly Change[]): Decision {
  return { action: "STOP", reason, changes };
}

function exhaust(reason: ExhaustReason, before: readonly Change[] = []): Decision {
  return { action: "STOP", reason, changes: [...before, { kind: "exhaust", reason }] };
}

function backOff(reason: BackoffReason, before: readonly Change[]): Decision {
  return { action: "BACKOFF", reason, changes: [...before, { kind: "back_off", reason }] };
}

function wakeUp(reason: "REDELIVER" | "REOFFER", before: readonly Change[]): Decision {
  return { action: "WAKE", reason, changes: [...before, { kind: "offer_again" }] };
}
