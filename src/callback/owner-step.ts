import { isTerminal, type Job } from "../job/job.ts";
import { requireJobId } from "../job/schema.ts";
import { type Step, transactOne } from "../store/job-store.ts";
import { type Answer, type Fleet, refusal } from "./fleet.ts";

/**
 * A transition that an owner makes: `move` gives the moved job, a refusal, or nothing where the job already is so.
 * A job that is not there or terminal is refused here.
 */
export async function ownerStep(
  fleet: Fleet,
  jobId: string,
  state: string,
  move: (job: Job) => Job | Answer | undefined,
): Promise<Answer> {
  requireJobId(jobId);
  const done: Answer = { ok: true, state, invoke_model: false, job_id: jobId };
  return transactOne(fleet.store, jobId, ({ job }): Step<Answer> => {
    if (job === undefined) return { answer: refusal("NOT_FOUND", jobId, `there is no job ${jobId}`) };
    const moved = move(job);
    if (moved === undefined) return { answer: { ...done, replay: true } };
    if ("ok" in moved) return { answer: moved };
    return { answer: done, write: { job: moved, note: `${state} ${jobId}` } };
  });
}

/** The refusal of a job that changes no more; undefined for one that still does. */
export function terminalRefusal(job: Job): Answer | undefined {
  if (!isTerminal(job.status)) return undefined;
  return refusal(job.status, job.job_id, `${job.job_id} is ${job.status}; a terminal job changes no more`);
}
