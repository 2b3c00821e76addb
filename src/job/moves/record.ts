import type { Job } from "../job.ts";
import { countOf } from "../mail-grace.ts";
import type { Receipt, WrittenReceipt } from "../receipt.ts";

/** Appends to the job's history; nothing ever takes a receipt out (contract §1). */
export function record(job: Job, ...receipts: readonly WrittenReceipt[]): Pick<Job, "event_receipts"> {
  return { event_receipts: [...job.event_receipts, ...receipts] };
}

/**
 * Notes what happened before and happens again: the receipt moves to the end with its `count` raised, so that a job that
 * waits for a year does not grow (contract §3). `before` says which receipts are of the same happening.
 */
export function recordAgain(
  job: Job,
  receipt: WrittenReceipt<"wake"> | WrittenReceipt<"deliver">,
  before: (receipt: Receipt) => boolean,
  startsAnew = false,
): Pick<Job, "event_receipts"> {
  const earlier = job.event_receipts.filter(before);
  if (earlier.length === 0) return record(job, receipt);
  const count = startsAnew ? 1 : earlier.reduce((sum, other) => sum + countOf(other), 1);
  const others = job.event_receipts.filter((other) => !before(other));
  return { event_receipts: [...others, { ...receipt, count: Math.min(count, Number.MAX_SAFE_INTEGER) }] };
}
