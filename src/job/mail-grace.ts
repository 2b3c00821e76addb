import { numberText } from "../json/json.ts";
import { type Job, momentOf } from "./job.ts";
import type { Offer } from "./offer.ts";
import { isEvent, type Receipt, type StoredReceipt } from "./receipt.ts";
import type { Seconds } from "./time.ts";

/** How long a mail is left to the pass that is at it before another pass may send it again (contract §3). */
export const MAIL_GRACE_SECONDS = 60;

/** The longest grace, however often mail has failed. */
const GRACE_SECONDS_MAX = 3_600;

/**
 * Whether owed mail may be sent again (contract §3): 60 s after the offer or its last failure, doubled with each failure in
 * a row, at most an hour or the job's own cap. Receipts from the future count for nothing: the clock went back.
 */
export function isPastMailGrace(job: Job, offer: Offer, now: Seconds): boolean {
  const failure = lastFailure(job, offer);
  const past = failure !== undefined && momentOf(failure.ts) <= now ? failure : undefined;
  const starts = [offer.at, ...(past === undefined ? [] : [momentOf(past.ts)])].filter((at) => at <= now);
  return starts.every((start) => now - start >= graceAfter(job, past));
}

/** The moments at which {@link isPastMailGrace} may change its answer. */
export function mailGraceMoments(job: Job, offer: Offer): readonly Seconds[] {
  const failure = lastFailure(job, offer);
  const starts = [offer.at, ...(failure === undefined ? [] : [momentOf(failure.ts)])];
  return starts.flatMap((start) => [start, start + MAIL_GRACE_SECONDS, start + graceAfter(job, failure)]);
}

function graceAfter(job: Job, failure: Receipt | undefined): Seconds {
  const doubled = MAIL_GRACE_SECONDS * 2 ** (failure === undefined ? 0 : countOf(failure));
  return Math.min(doubled, GRACE_SECONDS_MAX, Math.max(MAIL_GRACE_SECONDS, job.max_backoff_seconds));
}

/** The FAILED receipt of the offer's attempt, where no MAIL stands after it. */
export function lastFailure(job: Job, offer: Offer): StoredReceipt<"deliver"> | undefined {
  const last = job.event_receipts.findLast((receipt) => receipt.event === "deliver" && receipt.attempt_id === offer.attempt_id);
  return last !== undefined && isEvent(last, "deliver") && last.carrier === "FAILED" ? last : undefined;
}

/** How often a receipt's event has happened in a row; absent counts once (contract §3). */
export function countOf(receipt: Receipt): number {
  const count = Number(numberText(receipt["count"]) ?? 1);
  return Number.isSafeInteger(count) && count >= 1 ? count : 1;
}
