import { JobError } from "../../errors/job-error.ts";
import type { JsonObject } from "../../json/json.ts";
import { isSameJson } from "../../json/same-json.ts";
import { asDocument, requireCheckpointWithinLimits, requireJob } from "../file/parse-job.ts";
import type { Job } from "../job.ts";
import { formatTime, type Seconds } from "../time.ts";
import { refuseProgramsFields } from "./owner-fields.ts";

/** The job with the owner's edits. Throws JobError SCHEMA, also for a budget that would rise. */
export function updatedJob(job: Job, edits: JsonObject, now: Seconds, source: string): Job {
  refuseProgramsFields(edits, source);
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
