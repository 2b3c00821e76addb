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

/** What a rule makes of a job: a decision, or that the later rules see another job; nothing where it is passed. */
export type Ruling = Decision | GoOn | undefined;

interface GoOn {
  readonly action: "GO_ON";
  readonly job: Job;
  /** Made also where a later rule stops. */
  readonly changes: readonly Change[];
  /** The page of which nobody can say whether it stands. */
  readonly unknownPage?: string;
}

interface Rule {
  readonly number: string;
  readonly rule: (job: Job, facts: TickFacts) => Ruling;
}

/** The table of contract §3, in its order and under its numbers. */
const RULES = [
  { number: "1", rule: ({ status }) => (isTerminal(status) ? stop(status) : undefined) },
  { number: "2", rule: completeByPage },
  {
    number: "3",
    rule: (job, { now }) => (now >= momentOf(job.deadline) && !isAtWork(job, now) ? exhaust("DEADLINE") : undefined),
  },
  {
    number: "4",
    rule: (job, { now }) => (job.tokens_used >= job.budget_tokens && !isAtWork(job, now) ? exhaust("BUDGET") : undefined),
  },
  { number: "5", rule: (job) => (blockerNews(job) === "unchanged" ? stop("BLOCKED_UNCHANGED") : undefined) },
  {
    number: "5b",
    rule: (job) => (blockerNews(job) === "first_seen" ? stop("BLOCKED_UNCHANGED", { kind: "remember_blocker" }) : undefined),
  },
  { number: "5c", rule: (job) => (blockerNews(job) === "changed" ? withoutBlocker(job) : undefined) },
  {
    number: "6",
    rule: (job, facts) => {
      if (!isLeaseLive(job, facts.now)) return undefined;
      return maySend(job, facts) ? redeliver() : stop("LEASE_HELD");
    },
  },
  {
    number: "6b",
    rule: (job, facts) => {
      const isOwnPause = job.in_backoff && untilDue(job, facts) <= backoffPause(job, job.unclaimed_count);
      return isOwnPause && maySend(job, facts) ? redeliver() : undefined;
    },
  },
  { number: "7", rule: (job, facts) => (untilDue(job, facts) > 0 ? stop("NOT_DUE") : undefined) },
  { number: "8", rule: held },
  {
    number: "9",
    rule: (job, facts) => {
      if (owedOffer(job, facts) === undefined) return undefined;
      return maySend(job, facts) ? redeliver() : stop("MAIL_OWED");
    },
  },
  {
    number: "10",
    rule: (job) => {
      const offer = latestOffer(job);
      if (offer === undefined || !isUnanswered(job, offer)) return undefined;
      return job.in_backoff || !isWokenCheckpoint(job) ? reoffer() : backOff("UNCLAIMED");
    },
  },
  // The checkpoint is hashed last: it takes longer than everything else here.
  {
    number: "11",
    rule: (job) => (job.no_progress_count + 1 >= job.max_attempts && isStalled(job) ? exhaust("NO_PROGRESS") : undefined),
  },
  { number: "12", rule: (job) => (job.attempt_count >= job.max_attempts ? exhaust("MAX_ATTEMPTS") : undefined) },
  { number: "12b", rule: (job) => (isStalled(job) ? backOff("UNCHANGED_CHECKPOINT") : undefined) },
  { number: "13", rule: () => ({ action: "WAKE", reason: "RUNNABLE", changes: [{ kind: "wake" }] }) },
] as const satisfies readonly Rule[];

export type RuleNumber = (typeof RULES)[number]["number"];

/** Is told of each rule that was asked: the job that it saw, and what it made of it. */
export type RuleWitness = (number: RuleNumber, job: Job, ruling: Ruling) => void;

/**
 * Decides what one tick does with one job: the first rule that matches. Pure: the same job, facts and pages give the same
 * decision. Throws nothing on a valid job.
 */
export function decide(job: Job, facts: TickFacts, witness?: RuleWitness): Decision {
  let seen = job;
  let before: readonly Change[] = [];
  let unknownPage: string | undefined;
  for (const { number, rule } of RULES) {
    const ruling: Ruling = rule(seen, facts);
    witness?.(number, seen, ruling);
    if (ruling === undefined) continue;
    if (ruling.action === "ASK_PAGE" || ruling.action === "CANNOT_TELL") return ruling;
    if (ruling.action !== "GO_ON") {
      const decision = before.length === 0 ? ruling : { ...ruling, changes: [...before, ...ruling.changes] };
      return unknownPage !== undefined && needsTruth(decision) ? { action: "CANNOT_TELL", address: unknownPage } : decision;
    }
    seen = ruling.job;
    before = [...before, ...ruling.changes];
    unknownPage ??= ruling.unknownPage;
  }
  throw new TypeError("rule 13 matches every job");
}

type Settled = Verdict & { readonly changes: readonly Change[] };

/** What may not happen to a job that is perhaps done; a row that only waits says what it waits for. */
function needsTruth({ action, changes }: Settled): boolean {
  return action === "WAKE" || action === "BACKOFF" || changes.some(({ kind }) => kind === "exhaust");
}

function completeByPage(job: Job, { pages }: TickFacts): Ruling {
  const address = job.result_address;
  if (address === "" || !restOfPredicateHolds(job)) return undefined;
  const page = pages.get(address);
  switch (page) {
    case undefined:
      return { action: "ASK_PAGE", address };
    case "durable":
      return stop("DONE", { kind: "complete" });
    case "absent":
      return undefined;
    case "unknown":
      return { action: "GO_ON", job, changes: [], unknownPage: address };
  }
}

function withoutBlocker(job: Job): GoOn {
  return { action: "GO_ON", job: { ...job, blocker: null, status: "OPEN" }, changes: [{ kind: "drop_blocker" }] };
}

function held(job: Job, { deliver, holds }: TickFacts): Ruling {
  const hold = findHold(holds, [job.harness]);
  if (hold === undefined) return undefined;
  const mustNote = deliver && !isHoldNoted(job, latestOffer(job), hold);
  return { action: "HOLD", reason: hold.name, changes: mustNote ? [{ kind: "note_hold", hold }] : [] };
}

/** The latest offer, where this pass mails and its mail is owed. Most jobs of a pass stop before anybody asks. */
function owedOffer(job: Job, { deliver, holds }: TickFacts): Offer | undefined {
  const offer = deliver ? latestOffer(job) : undefined;
  return offer !== undefined && isMailOwed(job, offer, holds) ? offer : undefined;
}

function maySend(job: Job, facts: TickFacts): boolean {
  const owed = owedOffer(job, facts);
  return owed !== undefined && isPastMailGrace(job, owed, facts.now);
}

function untilDue(job: Job, { now }: TickFacts): Seconds {
  return momentOf(job.next_wake_at) - now;
}

/** It woke before, its checkpoint is unchanged since, and no pause has followed yet. */
function isStalled(job: Job): boolean {
  return !job.in_backoff && isWokenCheckpoint(job);
}

function stop(reason: StopReason, ...changes: readonly Change[]): Settled {
  return { action: "STOP", reason, changes };
}

function exhaust(reason: ExhaustReason): Settled {
  return stop(reason, { kind: "exhaust", reason });
}

function backOff(reason: BackoffReason): Settled {
  return { action: "BACKOFF", reason, changes: [{ kind: "back_off", reason }] };
}

function redeliver(): Settled {
  return { action: "WAKE", reason: "REDELIVER", changes: [{ kind: "offer_again", endsBackoff: false }] };
}

function reoffer(): Settled {
  return { action: "WAKE", reason: "REOFFER", changes: [{ kind: "offer_again", endsBackoff: true }] };
}
