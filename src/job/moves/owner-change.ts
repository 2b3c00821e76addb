import { JobError } from "../../errors/job-error.ts";
import { sha256Of, shortFingerprint } from "../../json/fingerprint.ts";
import type { JsonObject } from "../../json/json.ts";
import { isSameJson } from "../../json/same-json.ts";
import { asDocument, requireCheckpointWithinLimits, requireJob } from "../file/parse-job.ts";
import type { Blocker, BlockerKind, Job } from "../job.ts";
import { formatTime, type Seconds } from "../time.ts";
import { record } from "./apply-change.ts";

/** What only transitions write. An owner's create or update that names one of these is refused (contract §6). */
const KEPT_BY_TRANSITIONS = [
  "attempt_count",
  "blocker",
  "cancel_reason",
  "completed_at",
  "created_at",
  "event_receipts",
  "exhausted_reason",
  "in_backoff",
  "last_blocker_fingerprint",
  "last_wake_at",
  "last_wake_checkpoint_fp",
  "last_wake_checkpoint_sha256",
  "lease",
  "no_progress_count",
  "result",
  "status",
  "tokens_used",
  "unclaimed_count",
  "updated_at",
  "woke_once",
] as const satisfies readonly (keyof Job)[];

/** What a harness at work relies on: an owner may not change it under a live lease (contract §6). */
const SHIELDED_BY_LEASE = [
  "checkpoint",
  "harness",
  "completion_predicate",
  "result_address",
] as const satisfies readonly (keyof Job)[];

/**
 * A new job from the owner's fields; `next_wake_at` is now where none is given, `result_address` the job's own id.
 * `source` is how messages name the fields. Throws JobError SCHEMA.
 */
export function createdJob(fields: JsonObject, now: Seconds, source: string): Job {
  refuseKeptFields(fields, source);
  const ts = formatTime(now);
  const job = requireJob(
    { next_wake_at: ts, result_address: fields["job_id"] ?? "", ...fields, created_at: ts, updated_at: ts },
    source,
  );
  requireCheckpointWithinLimits(job.checkpoint, source);
  return job;
}

/** Whether the edits touch what a live lease shields. */
export function touchesShielded(edits: JsonObject): boolean {
  return SHIELDED_BY_LEASE.some((field) => Object.hasOwn(edits, field));
}

/** The job with the owner's edits. Throws JobError SCHEMA, also for a budget that would rise. */
export function updatedJob(job: Job, edits: JsonObject, now: Seconds, source: string): Job {
  refuseKeptFields(edits, source);
  if (edits["job_id"] !== undefined && edits["job_id"] !== job.job_id) {
    throw new JobError("SCHEMA", `${source}: job_id is for the life of the job; create another job instead`, { field: "job_id" });
  }
  const updated = requireJob({ ...asDocument(job), ...edits, updated_at: formatTime(now) }, source);
  requireCheckpointWithinLimits(updated.checkpoint, source);
  // An undefined budget is a removed one, and fails every comparison.
  if (!(updated.budget_tokens <= job.budget_tokens)) {
    throw new JobError("SCHEMA", `${source}: budget_tokens is ${job.budget_tokens}; it can be lowered, never raised or removed`, {
      field: "budget_tokens",
    });
  }
  // A checkpoint that differs is progress, whoever wrote it (contract §3).
  return isSameJson(updated.checkpoint, job.checkpoint) ? updated : { ...updated, no_progress_count: 0 };
}

export function cancelledJob(job: Job, reason: string, now: Seconds): Job {
  const ts = formatTime(now);
  return {
    ...job,
    ...record(job, { attempt_id: `${job.job_id}-cancel`, event: "cancel", reason, ts }),
    status: "CANCELLED",
    lease: null,
    cancel_reason: reason,
    updated_at: ts,
  };
}

/** A blocker with its fingerprint, taken over `{detail, kind}` (contract §2). */
export function blockerOf(kind: BlockerKind, detail: string): Blocker {
  return { kind, detail, fingerprint: shortFingerprint(sha256Of({ detail, kind })) };
}

export function blockedJob(job: Job, blocker: Blocker, now: Seconds): Job {
  return {
    ...job,
    status: "BLOCKED",
    lease: null,
    blocker: { ...blocker },
    last_blocker_fingerprint: blocker.fingerprint,
    updated_at: formatTime(now),
  };
}

export function unblockedJob(job: Job, now: Seconds): Job {
  return { ...job, status: "OPEN", blocker: null, last_blocker_fingerprint: null, updated_at: formatTime(now) };
}

function refuseKeptFields(fields: JsonObject, source: string): void {
  const kept = KEPT_BY_TRANSITIONS.find((field) => Object.hasOwn(fields, field));
  if (kept === undefined) return;
  throw new JobError("SCHEMA", `${source}: ${kept} is written by harness-wake itself; leave it out`, { field: kept });
}
