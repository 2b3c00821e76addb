import { writeFileSync } from "node:fs";
import { join } from "node:path";

/** The moment at which tests tick. Each job document is due at it. */
export const NOON = "2026-11-30T12:00:00Z";

/** A job as an owner would write it by hand: due at noon, no page to check, and only what a job must have. */
export function jobDocument(jobId: string, fields: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> {
  return {
    job_id: jobId,
    owner_claim: "TESTS",
    harness: "script",
    objective: "Keep the release train moving.",
    next_wake_at: "2026-11-30T11:00:00Z",
    deadline: "2026-12-31T00:00:00Z",
    ...fields,
  };
}

/** Puts a job's file into a jobs directory and gives its path. */
export function putJob(jobsDirectory: string, jobId: string, fields: Readonly<Record<string, unknown>> = {}): string {
  const path = join(jobsDirectory, `${jobId}.json`);
  writeFileSync(path, `${JSON.stringify(jobDocument(jobId, fields), null, 2)}\n`);
  return path;
}
