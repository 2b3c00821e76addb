import type { TickFacts } from "../job/decide.ts";
import { findHold } from "../job/hold.ts";
import { isLeaseLive, isTerminal, type Job } from "../job/job.ts";
import { lastFailure } from "../job/mail-grace.ts";
import { isAtWork, isClaimed, isMailOwed, isUnanswered, latestOffer, type Offer } from "../job/offer.ts";
import type { EventName } from "../job/receipt.ts";
import { isMove, isUnknown, type Outlook } from "./outlook.ts";

/**
 * How a job stands, in words for people (contract §14), those first that want a look first. A status says who may move a job;
 * these say what it waits for.
 */
export const STATES = [
  /** Its file cannot be read as a job. */
  "broken",
  /** Its mail is promised, and the last try to send it failed. */
  "mail failing",
  "exhausted",
  "blocked",
  /** A tick should have moved it long ago. */
  "overdue",
  /** Offered, and nobody claimed it while its lease ran. */
  "unclaimed",
  /** Nobody can say whether its page stands, so a tick leaves it alone. */
  "page unknown",
  /** Claimed, and the claimant's lease ran out without a finish. */
  "lapsed",
  /** Its mail is promised, and has not gone out yet. */
  "mail owed",
  /** A tick would move it now. */
  "due",
  /** Claimed, under a live lease. */
  "working",
  /** Under a live lease that nobody has claimed yet. */
  "offered",
  /** A pause after an attempt that brought nothing. */
  "backing off",
  "waiting",
  /** A hold covers its harness. */
  "held",
  "done",
  "cancelled",
] as const;
export type State = (typeof STATES)[number];
export type JobState = Exclude<State, "broken">;

/** How long a job may be due before ticks are missed: a schedule of every 15 minutes is often late, and seldom by an hour. */
export const OVERDUE_SECONDS = 3_600;

const ENDED = { DONE: "done", CANCELLED: "cancelled", EXHAUSTED: "exhausted" } as const;

/** The first state that fits. Pure. */
export function stateOf(job: Job, facts: TickFacts, outlook: Outlook): JobState {
  if (isTerminal(job.status)) return ENDED[job.status];
  const { now } = outlook;
  // Nobody knows since when its page stands.
  if (now.action === "STOP" && now.reason === "DONE") return "due";
  if (isMove(now) && facts.now - (outlook.since() ?? facts.now) >= OVERDUE_SECONDS) return "overdue";
  if (isUnknown(now)) return "page unknown";
  if (now.action === "STOP" && (now.reason === "DEADLINE" || now.reason === "BUDGET")) return "due";
  if (now.action === "STOP" && now.reason === "BLOCKED_UNCHANGED") return isAtWork(job, facts.now) ? "working" : "blocked";
  if (isAtWork(job, facts.now)) return "working";
  if (findHold(facts.holds, [job.harness]) !== undefined) return "held";
  return offerState(job, facts) ?? restState(job, outlook);
}

/** How the latest offer stands, as long as nobody came home from it. */
function offerState(job: Job, { now, holds }: TickFacts): JobState | undefined {
  const offer = latestOffer(job);
  if (offer === undefined || hasEnded(offer)) return undefined;
  if (isMailOwed(job, offer, holds)) return lastFailure(job, offer) === undefined ? "mail owed" : "mail failing";
  if (isLeaseLive(job, now)) return "offered";
  if (isUnanswered(job, offer)) return "unclaimed";
  // A job that backed off has given its lease back: that offer is history.
  if (job.status !== "LEASED") return undefined;
  return isClaimed(job, offer.attempt_id) ? "lapsed" : "unclaimed";
}

const ENDINGS: readonly string[] = ["ack", "checkpoint", "failed", "release"] satisfies readonly EventName[];

/** Whether the attempt came to its end: finished, given up or taken back. */
function hasEnded({ attempt_id, since }: Offer): boolean {
  return since.some((receipt) => receipt.attempt_id === attempt_id && ENDINGS.includes(receipt.event));
}

function restState(job: Job, { now }: Outlook): JobState {
  if (isMove(now)) return "due";
  return job.in_backoff ? "backing off" : "waiting";
}
