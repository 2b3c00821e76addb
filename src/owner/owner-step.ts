import { type Answer, endedAnswer, type Fleet, refusal } from "../fleet.ts";
import { requireJobId } from "../job/file/schema.ts";
import type { Job } from "../job/job.ts";
import { type Step, transactOne } from "../store/job-store.ts";

/** What an owner's transition makes of a job. */
export type Move = { readonly to: Job } | { readonly refused: Answer } | "already_so";

/** A transition that an owner makes, answered with `state`. A job that is not there is refused here. */
export async function ownerStep(fleet: Fleet, jobId: string, state: string, move: (job: Job) => Move): Promise<Answer> {
  requireJobId(jobId);
  const done: Answer = { ok: true, state, invoke_model: false, job_id: jobId };
  return transactOne(fleet.store, jobId, ({ job }): Step<Answer> => {
    if (job === undefined) return { answer: refusal("NOT_FOUND", jobId, `there is no job ${jobId}`) };
    const moved = move(job);
    if (moved === "already_so") return { answer: { ...done, replay: true } };
    if ("refused" in moved) return { answer: moved.refused };
    return { answer: done, write: { job: moved.to, note: `${state} ${jobId}` } };
  });
}

/** {@link ownerStep} for a transition that a terminal job refuses. */
export function liveOwnerStep(fleet: Fleet, jobId: string, state: string, move: (job: Job) => Move): Promise<Answer> {
  return ownerStep(fleet, jobId, state, (job) => {
    const ended = endedAnswer(job);
    return ended === undefined ? move(job) : { refused: ended };
  });
}
