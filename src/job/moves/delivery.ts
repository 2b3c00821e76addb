import { numberText } from "../../json/json.ts";
import { plainNumber } from "../../json/number-value.ts";
import { isTerminal, type Job, type Receipt } from "../job.ts";
import { formatTime, type Seconds } from "../time.ts";
import { record } from "./apply-change.ts";

/** What became of one mail (contract §4). */
export interface MailOutcome {
  readonly carrier: "MAIL" | "FAILED";
  /** The ntfy address, without credentials. */
  readonly host: string;
  /** Null where no answer came. */
  readonly http_status: number | null;
  readonly error?: string;
}

/**
 * Notes what became of an attempt's mail. A failure that follows a failure moves its count and time, so that a long
 * outage stays one receipt; a MAIL ends it. An observation: a terminal job takes it too, and stays as it was otherwise.
 */
export function withDelivery(job: Job, attempt_id: string, outcome: MailOutcome, now: Seconds): Job {
  const ts = formatTime(now);
  const { carrier, host, http_status, error } = outcome;
  const lastIndex = job.event_receipts.findLastIndex(
    (receipt) => receipt.event === "deliver" && receipt.attempt_id === attempt_id,
  );
  const last = job.event_receipts[lastIndex];
  const isRepeatedFailure = carrier === "FAILED" && last?.["carrier"] === "FAILED";
  const receipt: Receipt = {
    attempt_id,
    carrier,
    count: isRepeatedFailure ? countOf(last) + 1 : 1,
    event: "deliver",
    host,
    http_status,
    id: job.job_id,
    ts,
    ...(error !== undefined && { error }),
  };
  return {
    ...job,
    ...(isRepeatedFailure ? { event_receipts: job.event_receipts.with(lastIndex, receipt) } : record(job, receipt)),
    ...(!isTerminal(job.status) && { updated_at: ts }),
  };
}

function countOf(receipt: Receipt): number {
  const text = numberText(receipt["count"]);
  return text === undefined ? 1 : Number(plainNumber(text));
}
