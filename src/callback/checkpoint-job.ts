import { type Applied, applied, endedAnswer, type Held, heldAnswer, notFound, type Refused, refusal } from "../answer.ts";
import { JobError } from "../errors/job-error.ts";
import { type Decided, decideOne, type Fleet } from "../fleet.ts";
import { rulesInForce } from "../holds/holds.ts";
import { findHold } from "../job/hold.ts";
import type { TerminalStatus } from "../job/job.ts";
import { requireJobId } from "../job/job-id.ts";
import { type DirectCheckpoint, directlyCheckpointed } from "../job/moves/direct-checkpoint.ts";
import { isJsonObject } from "../json/json.ts";

export type CheckpointOptions = DirectCheckpoint;

export type CheckpointAnswer = Applied<"CHECKPOINT"> | Refused<"STALE_ATTEMPT" | TerminalStatus | "NOT_FOUND"> | Held;

/**
 * Moves the checkpoint under a live lease, and so ends the attempt (contract §6): no lease, due now. For a harness that
 * works without claims. STALE_ATTEMPT unless attempt and lease are the live ones. Throws JobError SCHEMA.
 */
export async function checkpointJob(fleet: Fleet, jobId: string, options: CheckpointOptions): Promise<CheckpointAnswer> {
  const { attemptId } = options;
  requireJobId(jobId);
  if (!isJsonObject(options.checkpoint)) {
    throw new JobError("SCHEMA", "checkpoint must be an object", { field: "checkpoint" });
  }
  const rules = await rulesInForce(fleet);
  return decideOne(fleet, jobId, ({ job }): Decided<CheckpointAnswer> => {
    if (job === undefined) return { answer: notFound(jobId) };
    const ended = endedAnswer(job);
    if (ended !== undefined) return { answer: ended };
    const hold = findHold(rules, [job.harness]);
    if (hold !== undefined) return { answer: heldAnswer(hold, jobId, attemptId) };
    const moved = directlyCheckpointed(job, options, fleet.clock.now());
    if (moved === undefined) {
      const message = `${attemptId} under that lease is not what ${jobId} is leased for now`;
      return { answer: refusal("STALE_ATTEMPT", jobId, message) };
    }
    return { answer: applied("CHECKPOINT", jobId, attemptId), write: { job: moved, note: `CHECKPOINT ${attemptId}` } };
  });
}
