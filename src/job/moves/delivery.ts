import { isTerminal, type Job } from "../job.ts";
import { isEvent, type Receipt } from "../receipt.ts";
import { formatTime, type Seconds } from "../time.ts";
import { recordAgain } from "./record.ts";

/** What became of one mail (contract §4). */
export interface MailOutcome {
  readonly carrier: "MAIL" | "FAILED";
  /** The ntfy host's origin, like `https://ntfy.sh`: a topic's name is its password. */
  readonly host: string;
  /** Null where no answer came. */
  readonly http_status: number | null;
  readonly error?: string;
}

/**
 * Notes what became of an attempt's mail: one MAIL and one FAILED receipt, counted and moved to the end when the same
 * happens again; a MAIL lets the next FAILED start at 1. An observation: a terminal job takes it too, and stays as it was
 * otherwise.
 */
export function withDelivery(job: Job, attempt_id: string, outcome: MailOutcome, now: Seconds): Job {
  const ts = formatTime(now);
  const { carrier, host, http_status, error } = outcome;
  const isOfAttempt = (receipt: Receipt): boolean => receipt.event === "deliver" && receipt.attempt_id === attempt_id;
  const last = job.event_receipts.findLast(isOfAttempt);
  const endsARun = carrier === "FAILED" && last !== undefined && isEvent(last, "deliver") && last.carrier === "MAIL";
  return {
    ...job,
    ...recordAgain(
      job,
      {
        attempt_id,
        carrier,
        count: 1,
        event: "deliver",
        host,
        http_status,
        id: job.job_id,
        ts,
        ...(error !== undefined && { error }),
      },
      (receipt) => isOfAttempt(receipt) && receipt["carrier"] === carrier,
      endsARun,
    ),
    ...(!isTerminal(job.status) && { updated_at: ts }),
  };
}
