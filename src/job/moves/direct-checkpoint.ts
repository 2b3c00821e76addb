import { isLeaseLive, type Job } from "../job.ts";
import { isWokenCheckpoint, latestOffer } from "../offer.ts";
import { formatTime, type Seconds } from "../time.ts";
import { givenCheckpoint, movedTo, restingStatus } from "./ended-attempt.ts";
import { record } from "./record.ts";

export interface DirectCheckpoint {
  readonly attemptId: string;
  /** The fencing token: only who holds the live lease may move the checkpoint. */
  readonly leaseId: string;
  readonly checkpoint: Readonly<Record<string, unknown>>;
}

/**
 * The job whose checkpoint moved under a live lease, without a claim; it ends the attempt (contract §6). Undefined unless
 * attempt and lease are the live ones. Throws JobError SCHEMA for a checkpoint that a job cannot hold.
 */
export function directlyCheckpointed(job: Job, given: DirectCheckpoint, now: Seconds): Job | undefined {
  const { attemptId, leaseId } = given;
  const isTheirs = latestOffer(job)?.attempt_id === attemptId && job.lease?.lease_id === leaseId && isLeaseLive(job, now);
  if (!isTheirs || !isWokenCheckpoint(job)) return undefined;
  const checkpoint = givenCheckpoint(job, given.checkpoint);
  const ts = formatTime(now);
  const step = checkpoint["step"] ?? null;
  return {
    ...job,
    ...record(job, { attempt_id: attemptId, event: "checkpoint", step, ts, worker_id: job.lease?.holder ?? "" }),
    ...movedTo(job, checkpoint),
    status: restingStatus(job),
    lease: null,
    next_wake_at: ts,
    in_backoff: false,
    unclaimed_count: 0,
    updated_at: ts,
  };
}
