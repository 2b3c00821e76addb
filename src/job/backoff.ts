import type { Job } from "./job.ts";
import type { Seconds } from "./time.ts";

/** How long to leave a job alone after its `count`-th stall in a row: the base doubled, at most the cap (contract §3). */
export function backoffPause(job: Pick<Job, "backoff_seconds" | "max_backoff_seconds">, count: number): Seconds {
  return Math.min(job.backoff_seconds * 2 ** count, job.max_backoff_seconds);
}
