import type { JsonObject } from "../../json/json.ts";
import { requireCheckpointWithinLimits, requireJob } from "../file/parse-job.ts";
import type { Job } from "../job.ts";
import { formatTime, type Seconds } from "../time.ts";
import { refuseProgramsFields } from "./owner-fields.ts";

/**
 * A new job from the owner's fields (contract §2). Where none is given, `next_wake_at` is now, `result_address` the job's
 * own id, and done is the page at that address. `source` is how messages name the fields. Throws JobError SCHEMA.
 */
export function createdJob(fields: JsonObject, now: Seconds, source: string): Job {
  refuseProgramsFields(fields, source);
  const ts = formatTime(now);
  const result_address = fields["result_address"] ?? fields["job_id"] ?? "";
  const completion_predicate = { type: result_address === "" ? "status_done" : "result_address_on_head" };
  const usual = { next_wake_at: ts, result_address, completion_predicate };
  const job = requireJob({ ...usual, ...fields, created_at: ts, updated_at: ts }, source);
  requireCheckpointWithinLimits(job.checkpoint, source);
  return job;
}
