import type { Job } from "../job.ts";
import { ATTEMPTS_MAX } from "../limits.ts";

/** What an owner who sets a job free expects: the next due tick wakes it, also where its attempts are spent (contract §6). */
export function nextWakes(job: Job): Pick<Job, "in_backoff" | "max_attempts"> {
  const isSpent = job.attempt_count >= job.max_attempts;
  return { in_backoff: true, max_attempts: isSpent ? Math.min(job.attempt_count + 1, ATTEMPTS_MAX) : job.max_attempts };
}
