import type { Job } from "../job.ts";
import { ackReceipt } from "./ack.ts";
import { type ClaimReceipt, isOfLatestOffer, isOver } from "./authority.ts";
import type { Finished, FinishFacts } from "./finish-decision.ts";
import type { Outcome } from "./outcome.ts";
import { record } from "./record.ts";
import { withReport } from "./report.ts";
import { isWeakResult } from "./weak-result.ts";

/** Whether a tick completed the job while the claimant had neither finished nor given up. */
export function wasCompletedMeanwhile(job: Job, claim: ClaimReceipt): boolean {
  const isAutomatic = job.event_receipts.some((receipt) => receipt.event === "auto_complete");
  return job.status === "DONE" && isAutomatic && isOfLatestOffer(job, claim) && !isOver(job, claim);
}

/**
 * A tick saw the page before its author finished: the author is right. Its ACK and what it used are noted, and its result
 * where that is none of those that are no page.
 */
export function lateFinish(job: Job, claim: ClaimReceipt, outcome: Outcome, facts: FinishFacts): Finished {
  const step = job.checkpoint["step"] ?? null;
  const noted = withReport(job, claim, facts.report);
  const isWeak = isWeakResult(outcome.result);
  const takesResult = outcome.result !== undefined && !isWeak && job.result === undefined;
  return {
    kind: "finished",
    state: "DONE",
    replay: false,
    job: {
      ...noted,
      ...record(noted, ackReceipt(claim, "DONE", step, job.next_wake_at, facts)),
      ...(takesResult && { result: outcome.result }),
    },
    step,
    next_wake_at: job.next_wake_at,
    ...(isWeak && { message: "the page stood already, so the job is DONE; the result was left out, since it shows no page" }),
  };
}
