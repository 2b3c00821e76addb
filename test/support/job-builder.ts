import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseJob } from "../../src/job/file/parse-job.ts";
import type { Job } from "../../src/job/job.ts";
import { atNoon } from "./noon.ts";

/** Fields of a job file, right ones or wrong ones. */
type Fields = { readonly job_id?: string } & { readonly [field: string]: unknown };

/** The job that most tests are about. */
export const TRAIN = "harbor-train-0001";

/** A job as an owner would write it by hand: due at noon, no page to check, and little more than what a job must have. */
export function jobDocument<Given extends object = object>(jobId = TRAIN, fields?: Given) {
  return {
    job_id: jobId,
    owner_claim: "HARBOR",
    harness: "script",
    objective: "Keep the release train moving.",
    checkpoint: { step: 0 },
    next_wake_at: atNoon(-3600),
    deadline: "2027-12-31T00:00:00Z",
    ...fields,
  };
}

/** The text of the file of {@link TRAIN}, or of another `job_id`, with these fields over the plain ones. */
export function jobText(fields: Fields = {}): string {
  return JSON.stringify(jobDocument(fields.job_id, fields));
}

/** The same job, read as from its file. */
export function jobOf(fields: Fields = {}): Job {
  const { job_id = TRAIN } = fields;
  return parseJob(jobText(fields), job_id, `${job_id}.json`);
}

/** Puts a job's file into a jobs directory and gives its path. */
export function putJob(jobsDirectory: string, jobId: string, fields: object = {}): string {
  const path = join(jobsDirectory, `${jobId}.json`);
  writeFileSync(path, `${JSON.stringify(jobDocument(jobId, fields), null, 2)}\n`);
  return path;
}
