import type { Job } from "../../src/job/job.ts";
import { jobOf } from "./job-builder.ts";

/** A job that is due at noon and has time and attempts for a long fight. */
export function dueJob(jobId: string, fields: object = {}): Job {
  return jobOf({
    deadline: "2099-01-01T00:00:00Z",
    max_attempts: 1_000_000,
    unknown_to_this_version: { big: 12_345 },
    ...fields,
    job_id: jobId,
  });
}
