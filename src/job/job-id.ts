import { JobError } from "../errors/job-error.ts";
import { JOB_ID, JOB_ID_RULE } from "./patterns.ts";

/** Whether the text may name a job, a file or a page. Checked before it ever becomes a path (contract §9). */
export function isJobId(text: string): boolean {
  return JOB_ID.test(text);
}

/** Throws JobError SCHEMA for a text that may not name a job. */
export function requireJobId(text: string): void {
  if (isJobId(text)) return;
  const shown = JSON.stringify(text.slice(0, 100));
  throw new JobError("SCHEMA", `${shown} is not a job id: ${JOB_ID_RULE}`, { field: "job_id" });
}
