import type { Job } from "../job/job.ts";
import { countOf } from "../job/mail-grace.ts";
import { attemptNumber } from "../job/offer.ts";
import { isEvent, type Receipt } from "../job/receipt.ts";
import { normalizeTime, parseTime } from "../job/time.ts";
import { type Json, numberText } from "../json/json.ts";

/** One receipt, in words. */
export interface TimelineEvent {
  readonly at: string;
  readonly event: string;
  /** How often it happened so far; a receipt that is counted again carries the time of the last. */
  readonly count: number;
  /** What else it says, in a line. */
  readonly detail: string;
}

/** One attempt: offered, mailed, claimed and ended as its receipts say, in their order. Times are such that can be read. */
export interface AttemptTimeline {
  readonly attempt_id: string;
  readonly events: readonly TimelineEvent[];
  /** Its mails: sent, or failed. Each is the last of so many in a row. */
  readonly mails: readonly { readonly at: string; readonly isSent: boolean }[];
  /** When the latest offer of it was made. */
  readonly offered_at?: string;
  readonly claimed_at?: string;
  readonly claimed_by?: string;
  readonly renewed_at?: string;
  /** When its claimant came home, or its owner took it back. */
  readonly ended_at?: string;
  readonly ended_by?: "ack" | "checkpoint" | "failed" | "release";
  /** The end of the lease that the job still notes for it, over or not; absent where it notes none. */
  readonly lease_until?: string;
  readonly tokens_used?: number;
  /** US dollars; absent where unknown. */
  readonly cost_usd?: number;
}

/** A job's history, from its receipts. */
export interface Timeline {
  readonly attempts: readonly AttemptTimeline[];
  /** What belongs to no attempt: holds, the job's end, observations from outside. `attempt_id` is the receipt's own. */
  readonly others: readonly (TimelineEvent & { readonly attempt_id: string })[];
}

/** Pure. Receipts may have been changed by any hand: what is not as the program writes it is left out of the words. */
export function timelineOf(job: Job): Timeline {
  const byAttempt = new Map<string, Receipt[]>();
  const others: (TimelineEvent & { attempt_id: string })[] = [];
  for (const receipt of job.event_receipts) {
    const { attempt_id } = receipt;
    const receipts = byAttempt.get(attempt_id);
    if (receipts !== undefined) receipts.push(receipt);
    else if (attemptNumber(attempt_id, job.job_id) !== undefined) byAttempt.set(attempt_id, [receipt]);
    else others.push({ attempt_id, ...eventOf(receipt) });
  }
  return { attempts: [...byAttempt].map(([attempt_id, receipts]) => attemptOf(job, attempt_id, receipts)), others };
}

function attemptOf(job: Job, attempt_id: string, receipts: readonly Receipt[]): AttemptTimeline {
  const wake = receipts.findLast((receipt) => isEvent(receipt, "wake"));
  const claim = receipts.findLast((receipt) => isEvent(receipt, "delivery_claim"));
  const end = receipts.findLast(({ event }) => isEnding(event));
  const holdsLease = job.lease !== null && wake !== undefined && wake["lease_id"] === job.lease.lease_id;
  return {
    attempt_id,
    events: receipts.map(eventOf),
    mails: receipts.flatMap((receipt) => (isEvent(receipt, "deliver") ? [mailOf(receipt)] : [])),
    ...(wake !== undefined && { offered_at: normalizeTime(wake.ts) }),
    ...(claim !== undefined && { claimed_at: normalizeTime(claim.ts), ...claimWords(claim) }),
    ...(end !== undefined && isEnding(end.event) && { ended_at: normalizeTime(end.ts), ended_by: end.event }),
    ...(holdsLease && job.lease !== null && { lease_until: normalizeTime(job.lease.until) }),
  };
}

function mailOf({ ts, carrier }: Receipt): AttemptTimeline["mails"][number] {
  return { at: normalizeTime(ts), isSent: carrier === "MAIL" };
}

const ENDINGS = ["ack", "checkpoint", "failed", "release"] as const;

function isEnding(event: string): event is (typeof ENDINGS)[number] {
  return ENDINGS.some((ending) => ending === event);
}

function claimWords({ worker_id, renewed_at, tokens_used, cost_usd }: Receipt): Partial<AttemptTimeline> {
  const tokens = numberIn(tokens_used);
  const cost = numberIn(cost_usd);
  return {
    ...(typeof worker_id === "string" && { claimed_by: worker_id }),
    ...(typeof renewed_at === "string" && parseTime(renewed_at) !== undefined && { renewed_at: normalizeTime(renewed_at) }),
    ...(tokens !== undefined && { tokens_used: tokens }),
    ...(cost !== undefined && { cost_usd: cost }),
  };
}

function eventOf(receipt: Receipt): TimelineEvent {
  return {
    at: normalizeTime(receipt.ts),
    event: receipt.event,
    count: countOf(receipt),
    detail: DETAILS.flatMap((field) => wordOf(field, receipt[field])).join(", "),
  };
}

/** What people want to know of a receipt, in this order. Ids of leases and claims, and hashes, are for programs. */
const DETAILS = [
  "worker_id",
  "carrier",
  "host",
  "http_status",
  "error",
  "reason",
  "detail",
  "state",
  "tokens_used",
  "cost_usd",
  "renewed_at",
  "next_wake_at",
  "result_address",
] as const;

const BY_ITSELF: readonly string[] = ["worker_id", "carrier", "host", "error", "reason", "detail", "state"];

function wordOf(field: string, value: Json | undefined): readonly string[] {
  const text = typeof value === "string" ? value : numberText(value);
  if (text === undefined || text === "" || (field === "tokens_used" && text === "0")) return [];
  return [BY_ITSELF.includes(field) ? text : `${field} ${text}`];
}

function numberIn(value: Json | undefined): number | undefined {
  const number = Number(numberText(value));
  return Number.isFinite(number) ? number : undefined;
}
