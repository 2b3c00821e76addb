import { JobError } from "../../errors/job-error.ts";
import { isJsonObject } from "../../json/json.ts";
import { fromPlain } from "../../json/plain-json.ts";
import { isSameJson } from "../../json/same-json.ts";
import { isTerminal, type Job } from "../job.ts";
import { isAppendable, type Receipt } from "../receipt.ts";
import { formatTime, parseTime, type Seconds } from "../time.ts";

/** An observation for a job's history. Its attempt_id may be any outside receipt id, such as a Slack ts. */
export interface Observation {
  readonly attempt_id: string;
  /** Any event but those that the program writes itself. */
  readonly event: string;
  /** RFC 3339; default now. */
  readonly ts?: string;
  readonly [key: string]: unknown;
}

const NAME = /^[ -~]{1,200}$/;

/** The observation as a receipt. Throws JobError SCHEMA for one that JSON cannot hold or that would forge a move. */
export function requireObservation(observation: Observation, now: Seconds): Receipt {
  const { attempt_id, event, ts = formatTime(now) } = observation;
  for (const [field, value] of Object.entries({ attempt_id, event })) {
    if (typeof value !== "string" || !NAME.test(value)) {
      throw new JobError("SCHEMA", `${field} must be one line of 1 to 200 printable ASCII characters`, { field });
    }
  }
  if (!isAppendable(event)) {
    const message = `event ${event} is written by the program alone; name the observation otherwise`;
    throw new JobError("SCHEMA", message, { field: "event" });
  }
  if (parseTime(ts) === undefined) throw new JobError("SCHEMA", `ts is "${ts}"; it must be a time that exists`, { field: "ts" });
  const receipt = fromPlain(observation, undefined, "receipt");
  if (!isJsonObject(receipt)) throw new JobError("SCHEMA", "a receipt must be an object");
  return { ...receipt, attempt_id, event, ts };
}

/**
 * The job with an observation added, also a terminal one, which stays as it was otherwise. Undefined where an identical
 * receipt is there; one without a time of its own is identical whatever the time.
 */
export function observedJob(job: Job, observation: Observation, now: Seconds): Job | undefined {
  const receipt = requireObservation(observation, now);
  const isThere = job.event_receipts.some((other) =>
    isSameJson(other, observation.ts === undefined ? { ...receipt, ts: other.ts } : receipt),
  );
  if (isThere) return undefined;
  const event_receipts = [...job.event_receipts, receipt];
  return { ...job, event_receipts, ...(!isTerminal(job.status) && { updated_at: formatTime(now) }) };
}
