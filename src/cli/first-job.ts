import { formatJob } from "../job/file/format-job.ts";
import { createdJob } from "../job/moves/create.ts";
import { addSeconds, formatTime, type Seconds } from "../job/time.ts";

const WEEK = 7 * 86_400;

/** The text of a job that anybody can do by hand, to see a fleet go from WAKE to DONE. Throws JobError SCHEMA for a bad id. */
export function firstJob(jobId: string, now: Seconds, $schema: string): string {
  const fields = {
    $schema,
    job_id: jobId,
    owner_claim: "OWNER",
    harness: "script",
    objective: `Write the page of ${jobId} and push it`,
    instructions: `Write a line into ${jobId}.md in the pages directory, commit it to the default branch and push it.`,
    deadline: formatTime(addSeconds(now, WEEK)),
  };
  return formatJob(createdJob(fields, now, "--first-job"), jobId);
}
