import { requireJob } from "../../src/job/file/parse-job.ts";
import type { Job } from "../../src/job/job.ts";
import { parseTime } from "../../src/job/time.ts";
import type { JsonObject } from "../../src/json/json.ts";

/** The moment at which chaos begins. */
export const CHAOS_BEGINS = parseTime("2026-11-30T12:00:00Z") ?? Number.NaN;

/** A job that a tick at {@link CHAOS_BEGINS} wakes; it has time and attempts for a long fight. */
export function dueJob(jobId: string, fields: JsonObject = {}): Job {
  return requireJob(
    {
      job_id: jobId,
      owner_claim: "CHAOS",
      harness: "script",
      objective: "live through this",
      checkpoint: { step: 0 },
      next_wake_at: "2026-11-30T00:00:00Z",
      deadline: "2099-01-01T00:00:00Z",
      max_attempts: 1_000_000,
      unknown_to_this_version: { big: 12_345 },
      ...fields,
    },
    jobId,
  );
}
