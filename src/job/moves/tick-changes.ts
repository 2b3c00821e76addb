import { shortFingerprint } from "../../json/fingerprint.ts";
import { backoffPause } from "../backoff.ts";
import type { BackoffReason, Change } from "../decide.ts";
import type { HoldRule } from "../hold.ts";
import { holdEventOf } from "../hold-receipt.ts";
import { type ExhaustReason, isLeaseLive, type Job } from "../job.ts";
import { attemptId, attemptNumber, checkpointSha256, hasMovedSinceWake, latestOffer } from "../offer.ts";
import type { WrittenReceipt } from "../receipt.ts";
import { addSeconds, formatTime, type Seconds } from "../time.ts";
import { leaseEnd } from "./lease-end.ts";
import { record, recordAgain } from "./record.ts";

/** What the shell hands to a tick's changes: the same moment that was decided on, and identities made outside. */
export interface ChangeFacts {
  readonly now: Seconds;
  /** Whether a wake of this tick promises mail, whoever mails it (contract §3). */
  readonly promisesMail: boolean;
  readonly worker_id: string;
  /** A fresh lease id, for the one wake that a decision may hold. */
  readonly lease_id: string;
}

/** Makes one change of a tick's decision (contract §3). Pure; counters never fall, a live lease is never shortened. */
export function applyChange(job: Job, change: Change, facts: ChangeFacts): Job {
  const ts = formatTime(facts.now);
  const moved = { ...job, updated_at: ts };
  switch (change.kind) {
    case "complete":
      return {
        ...moved,
        ...record(job, { attempt_id: `${job.job_id}-auto-done`, event: "auto_complete", ts }),
        status: "DONE",
        lease: null,
        completed_at: ts,
      };
    case "exhaust":
      return exhausted(moved, change.reason, facts.now);
    case "remember_blocker":
      return { ...moved, status: "BLOCKED", ...(job.blocker && { last_blocker_fingerprint: job.blocker.fingerprint }) };
    case "drop_blocker":
      return {
        ...moved,
        status: isLeaseLive(job, facts.now) ? "LEASED" : "OPEN",
        blocker: null,
        ...(job.blocker && { last_blocker_fingerprint: job.blocker.fingerprint }),
      };
    case "note_hold":
      return { ...moved, ...record(job, holdReceipt(job, change.hold, facts.now)) };
    case "wake":
      return woken(moved, facts);
    case "offer_again":
      return offeredAgain(moved, change.endsBackoff, facts);
    case "back_off":
      return backedOff(moved, change.reason, facts.now);
  }
}

function exhausted(job: Job, reason: ExhaustReason, now: Seconds): Job {
  const receipt = { attempt_id: `${job.job_id}-exhaust`, event: "exhaust", reason, ts: formatTime(now) } as const;
  return { ...job, ...record(job, receipt), status: "EXHAUSTED", exhausted_reason: reason, lease: null };
}

function holdReceipt(job: Job, hold: HoldRule, now: Seconds): WrittenReceipt {
  return {
    attempt_id: `${job.job_id}-hold`,
    carrier: hold.name,
    event: holdEventOf(hold),
    id: job.job_id,
    ts: formatTime(now),
  };
}

/** Rule 13: the next attempt. No number is used twice, also after a hand set the count back. */
function woken(job: Job, facts: ChangeFacts): Job {
  const numbers = job.event_receipts.map((receipt) =>
    receipt.event === "wake" ? (attemptNumber(receipt.attempt_id, job.job_id) ?? 0) : 0,
  );
  const attempt_count = raised(numbers.reduce((a, b) => Math.max(a, b), job.attempt_count));
  const isPromised = facts.promisesMail || latestOffer(job)?.isPromised === true;
  return {
    ...job,
    ...offered(job, attemptId(job.job_id, attempt_count), isPromised, facts),
    attempt_count,
    woke_once: true,
    in_backoff: false,
    last_wake_at: formatTime(facts.now),
  };
}

/** REDELIVER and REOFFER: the same attempt under a fresh lease; no attempt is used, and what was promised stays so. */
function offeredAgain(job: Job, endsBackoff: boolean, facts: ChangeFacts): Job {
  const offer = latestOffer(job);
  if (offer === undefined) return job;
  const in_backoff = job.in_backoff && !endsBackoff;
  return { ...job, ...offered(job, offer.attempt_id, offer.isPromised, facts), in_backoff };
}

/** One offer of an attempt, with the checkpoint as it is now as the woken one. */
function offered(job: Job, attempt_id: string, isPromised: boolean, facts: ChangeFacts): Partial<Job> {
  const { lease_id, worker_id } = facts;
  const sha256 = checkpointSha256(job);
  const receipt = {
    attempt_id,
    event: "wake",
    lease_id,
    worker_id,
    ts: formatTime(facts.now),
    ...(isPromised && ({ mail: "owed" } as const)),
  } as const;
  return {
    ...recordAgain(job, receipt, (other) => other.event === "wake" && other.attempt_id === attempt_id),
    status: "LEASED",
    lease: { lease_id, holder: worker_id, until: leaseEnd(job, facts.now) },
    last_wake_checkpoint_sha256: sha256,
    last_wake_checkpoint_fp: shortFingerprint(sha256),
    ...(hasMovedSinceWake(job) && { no_progress_count: 0 }),
  };
}

function backedOff(job: Job, reason: BackoffReason, now: Seconds): Job {
  const count = raised(reason === "UNCLAIMED" ? job.unclaimed_count : job.no_progress_count);
  return {
    ...job,
    ...(reason === "UNCLAIMED" ? { unclaimed_count: count } : { no_progress_count: count }),
    in_backoff: true,
    status: "OPEN",
    lease: null,
    next_wake_at: formatTime(addSeconds(now, backoffPause(job, count))),
  };
}

/** One more, but never more than a job file can hold. */
function raised(count: number): number {
  return Math.min(count + 1, Number.MAX_SAFE_INTEGER);
}
