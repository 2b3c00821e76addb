import { record } from "../job/apply-change.ts";
import { isWokenCheckpoint, latestWake } from "../job/attempt.ts";
import { findHold } from "../job/hold.ts";
import { isLeaseLive, type Job } from "../job/job.ts";
import { JobError } from "../job/job-error.ts";
import { isJsonObject } from "../job/json.ts";
import { requireCheckpointWithinLimits } from "../job/parse-job.ts";
import { fromPlain } from "../job/plain-json.ts";
import { isSameJson } from "../job/predicate.ts";
import { formatTime } from "../job/time.ts";
import { heldAnswer } from "./caller.ts";
import { type Answer, type Fleet, refusal } from "./fleet.ts";
import { liveOwnerStep } from "./owner-step.ts";

export interface CheckpointOptions {
  readonly attemptId: string;
  /** The fencing token: only who holds the live lease may move the checkpoint. */
  readonly leaseId: string;
  readonly checkpoint: Readonly<Record<string, unknown>>;
}

/**
 * Moves the checkpoint under a live lease, and so ends the attempt (contract §6): OPEN, no lease, due now. For a harness
 * that works without claims. STALE_ATTEMPT unless attempt and lease are the live ones. Throws JobError SCHEMA.
 */
export async function checkpointJob(fleet: Fleet, jobId: string, options: CheckpointOptions): Promise<Answer> {
  const now = fleet.clock.now();
  const { attemptId, leaseId } = options;
  return liveOwnerStep(fleet, jobId, "CHECKPOINT", (job) => {
    const hold = findHold(fleet.holds, [job.harness]);
    if (hold !== undefined) return { refused: heldAnswer(hold, jobId, attemptId) };
    const isTheirs = latestWake(job)?.attempt_id === attemptId && job.lease?.lease_id === leaseId && isLeaseLive(job, now);
    if (!isTheirs || !isWokenCheckpoint(job)) {
      return { refused: refusal("STALE_ATTEMPT", jobId, `${attemptId} under that lease is not what ${jobId} is leased for now`) };
    }
    const checkpoint = fromPlain(options.checkpoint, job.checkpoint, "checkpoint");
    if (!isJsonObject(checkpoint)) throw new JobError("SCHEMA", "checkpoint must be an object", { field: "checkpoint" });
    requireCheckpointWithinLimits(checkpoint, jobId);
    const ts = formatTime(now);
    const step = checkpoint["step"] ?? null;
    const moved: Job = {
      ...job,
      ...record(job, { attempt_id: attemptId, event: "checkpoint", step, ts, worker_id: job.lease?.holder ?? "" }),
      checkpoint,
      status: "OPEN",
      lease: null,
      next_wake_at: ts,
      unclaimed_count: 0,
      updated_at: ts,
      ...(!isSameJson(checkpoint, job.checkpoint) && { no_progress_count: 0 }),
    };
    return { to: moved };
  });
}
