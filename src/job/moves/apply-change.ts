import { sha256Of, shortFingerprint } from "../../json/fingerprint.ts";
import { attemptId, latestWake } from "../attempt.ts";
import type { BackoffReason, Change } from "../decide.ts";
import { type HoldRule, holdAttemptId } from "../hold.ts";
import { type ExhaustReason, isLeaseLive, type Job, type Lease, momentOf, type Receipt } from "../job.ts";
import { addSeconds, formatTime, type Seconds } from "../time.ts";

/** What the shell hands to a tick's changes: the same moment that was decided on, and identities made outside. */
export interface ChangeFacts {
  readonly now: Seconds;
  readonly deliver: boolean;
  readonly worker_id: string;
  /** A fresh lease id, for the one wake that a decision may hold. */
  readonly lease_id: string;
}

/** Makes one change of a tick's decision (contract §3). Pure; counters never fall, a live lease is never shortened. */
export function applyChange(job: Job, change: Change, facts: ChangeFacts): Job {
  const moved = { ...job, updated_at: formatTime(facts.now) };
  switch (change.kind) {
    case "complete":
      return {
        ...moved,
        ...record(job, { attempt_id: `${job.job_id}-auto-done`, event: "auto_complete", ts: formatTime(facts.now) }),
        status: "DONE",
        lease: null,
        completed_at: formatTime(facts.now),
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
      return offeredAgain(moved, facts);
    case "back_off":
      return backedOff(moved, change.reason, facts.now);
  }
}

/** Appends to the job's history; nothing ever takes a receipt out. */
export function record(job: Job, ...receipts: readonly Receipt[]): Pick<Job, "event_receipts"> {
  return { event_receipts: [...job.event_receipts, ...receipts] };
}

function exhausted(job: Job, reason: ExhaustReason, now: Seconds): Job {
  const receipt = { attempt_id: `${job.job_id}-exhaust`, event: "exhaust", reason, ts: formatTime(now) };
  return { ...job, ...record(job, receipt), status: "EXHAUSTED", exhausted_reason: reason, lease: null };
}

function holdReceipt(job: Job, hold: HoldRule, now: Seconds): Receipt {
  const event = hold.name.toLowerCase();
  return { attempt_id: holdAttemptId(job), carrier: hold.name, event, id: job.job_id, ts: formatTime(now) };
}

function woken(job: Job, facts: ChangeFacts): Job {
  const attempt_count = raised(job.attempt_count);
  const sha256 = sha256Of(job.checkpoint);
  return {
    ...job,
    ...offer(job, attemptId(job.job_id, attempt_count), facts),
    attempt_count,
    woke_once: true,
    last_wake_at: formatTime(facts.now),
    last_wake_checkpoint_sha256: sha256,
    last_wake_checkpoint_fp: shortFingerprint(sha256),
  };
}

/** REDELIVER and REOFFER: the same attempt under a fresh lease; no count moves. */
function offeredAgain(job: Job, facts: ChangeFacts): Job {
  const attempt_id = latestWake(job)?.attempt_id ?? attemptId(job.job_id, job.attempt_count);
  return { ...job, ...offer(job, attempt_id, facts) };
}

function offer(job: Job, attempt_id: string, facts: ChangeFacts): Partial<Job> {
  const { lease_id, worker_id } = facts;
  const owed = facts.deliver ? { mail: "owed" } : {};
  return {
    ...record(job, { attempt_id, event: "wake", lease_id, worker_id, ts: formatTime(facts.now), ...owed }),
    status: "LEASED",
    lease: { lease_id, holder: worker_id, until: leaseEnd(job, facts.now) },
    in_backoff: false,
  };
}

/** When a lease given at `now` ends. A clock that went back shortens no lease (contract §3). */
export function leaseEnd(job: Pick<Job, "lease" | "lease_seconds">, now: Seconds): Lease["until"] {
  const end = addSeconds(now, job.lease_seconds);
  return formatTime(job.lease === null ? end : Math.max(end, momentOf(job.lease.until)));
}

function backedOff(job: Job, reason: BackoffReason, now: Seconds): Job {
  const count = raised(reason === "UNCLAIMED" ? job.unclaimed_count : job.no_progress_count);
  const pause = Math.min(job.backoff_seconds * 2 ** count, job.max_backoff_seconds);
  return {
    ...job,
    ...(reason === "UNCLAIMED" ? { unclaimed_count: count } : { no_progress_count: count }),
    in_backoff: true,
    status: "OPEN",
    lease: null,
    next_wake_at: formatTime(addSeconds(now, pause)),
  };
}

/** One more, but never more than a job file can hold. */
function raised(count: number): number {
  return Math.min(count + 1, Number.MAX_SAFE_INTEGER);
}
