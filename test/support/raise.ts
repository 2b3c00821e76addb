import { JobError } from "../../src/errors/job-error.ts";
import { type JobStore, transactOne } from "../../src/store/job-store.ts";

/** Raises a job's `step` by one. False where the store could not, and said that nothing was changed. */
export async function raise(store: JobStore, jobId: string): Promise<boolean> {
  try {
    await transactOne(store, jobId, ({ job }) => {
      if (job === undefined) throw new Error(`${jobId} is gone`);
      const step = Number(job.checkpoint["step"]) + 1;
      return { answer: undefined, write: { job: { ...job, checkpoint: { ...job.checkpoint, step } }, note: "raise" } };
    });
    return true;
  } catch (error) {
    if (error instanceof JobError && error.code === "CONFLICT") return false;
    throw error;
  }
}
