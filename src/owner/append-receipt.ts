import { JobError } from "../errors/job-error.ts";
import type { Answer, Fleet } from "../fleet.ts";
import { isTerminal, type Receipt } from "../job/job.ts";
import { record } from "../job/moves/apply-change.ts";
import { formatTime, parseTime } from "../job/time.ts";
import { isJsonObject } from "../json/json.ts";
import { fromPlain } from "../json/plain-json.ts";
import { isSameJson } from "../json/same-json.ts";
import { ownerStep } from "./owner-step.ts";

/** An observation for a job's history. Its attempt_id may be any outside receipt id, such as a Slack ts. */
export interface Observation {
  readonly attempt_id: string;
  readonly event: string;
  /** Default now. */
  readonly ts?: string;
  readonly [key: string]: unknown;
}

/** What only transitions write: a forged one would be taken for a claim, an ACK or an end (contract §6). */
const UNFORGEABLE: readonly string[] = [
  "wake",
  "checkpoint",
  "complete",
  "cancel",
  "auto_complete",
  "exhaust",
  "delivery_claim",
  "ack",
  "failed",
];

const NAME = /^[ -~]{1,200}$/;

/**
 * Adds an observation to a job's history, also to a terminal job's, which stays as it was otherwise. An identical receipt
 * is a no-op. Throws JobError SCHEMA for a receipt that would forge a transition.
 */
export async function appendReceipt(fleet: Fleet, jobId: string, observation: Observation): Promise<Answer> {
  const now = formatTime(fleet.clock.now());
  const receipt = requireObservation(observation, now);
  return ownerStep(fleet, jobId, "RECORDED", (job) => {
    const isThere = job.event_receipts.some((other) =>
      isSameJson(other, observation.ts === undefined ? { ...receipt, ts: other.ts } : receipt),
    );
    if (isThere) return "already_so";
    return { to: { ...job, ...record(job, receipt), ...(!isTerminal(job.status) && { updated_at: now }) } };
  });
}

function requireObservation(observation: Observation, now: string): Receipt {
  const { attempt_id, event, ts = now } = observation;
  for (const [field, value] of Object.entries({ attempt_id, event })) {
    if (typeof value !== "string" || !NAME.test(value)) {
      throw new JobError("SCHEMA", `${field} must be one line of 1 to 200 printable ASCII characters`, { field });
    }
  }
  if (UNFORGEABLE.includes(event))
    throw new JobError("SCHEMA", `event ${event} is written by its transition alone; name the observation otherwise`, {
      field: "event",
    });
  if (parseTime(ts) === undefined) throw new JobError("SCHEMA", `ts is "${ts}"; it must be a time that exists`, { field: "ts" });
  const receipt = fromPlain(observation, undefined, "receipt");
  if (!isJsonObject(receipt)) throw new JobError("SCHEMA", "a receipt must be an object");
  return { ...receipt, attempt_id, event, ts };
}
