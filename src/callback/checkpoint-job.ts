import { JobError } from "../errors/job-error.ts";
import { type Answer, endedAnswer, type Fleet, refusal } from "../fleet.ts";
import { rulesInForce } from "../holds/holds.ts";
import { isWokenCheckpoint, latestWake } from "../job/attempt.ts";
import { requireCheckpointWithinLimits } from "../job/file/parse-job.ts";
import { requireJobId } from "../job/file/schema.ts";
import { findHold } from "../job/hold.ts";
import { isLeaseLive, type Job } from "../job/job.ts";
import { record } from "../job/moves/apply-change.ts";
import { formatTime } from "../job/time.ts";
import { isJsonObject } from "../json/json.ts";
import { fromPlain } from "../json/plain-json.ts";
import { isSameJson } from "../json/same-json.ts";
import { type Step, transactOne } from "../store/job-store.ts";
import { heldAnswer } from "./caller.ts";

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
  const { attemptId, leaseId } = options;
  requireJobId(jobId);
  const rules = await rulesInForce(fleet);
  return transactOne(fleet.store, jobId, ({ job }): Step<Answer> => {
    if (job === undefined) return { answer: refusal("NOT_FOUND", jobId, `there is no job ${jobId}`) };
    const ended = endedAnswer(job);
    if (ended !== undefined) return { answer: ended };
    const now = fleet.clock.now();
    const hold = findHold(rules, [job.harness]);
    if (hold !== undefined) return { answer: heldAnswer(hold, jobId, attemptId) };
    const isTheirs = latestWake(job)?.attempt_id === attemptId && job.lease?.lease_id === leaseId && isLeaseLive(job, now);
    if (!isTheirs || !isWokenCheckpoint(job)) {
      return { answer: refusal("STALE_ATTEMPT", jobId, `${attemptId} under that lease is not what ${jobId} is leased for now`) };
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
    const answer: Answer = { ok: true, state: "CHECKPOINT", invoke_model: false, job_id: jobId };
    return { answer, write: { job: moved, note: `CHECKPOINT ${jobId}` } };
  });
}
