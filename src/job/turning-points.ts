import { backoffPause } from "./backoff.ts";
import { type Job, momentOf } from "./job.ts";
import { mailGraceMoments } from "./mail-grace.ts";
import { latestOffer } from "./offer.ts";
import type { Seconds } from "./time.ts";

/**
 * The moments at which the answer of `decide` on a job may change while nobody touches the job. Between two of them it stays
 * the same, so these few moments show all that will come of the job by time alone. In order, none twice.
 */
export function turningPoints(job: Job): readonly Seconds[] {
  const due = momentOf(job.next_wake_at);
  const offer = latestOffer(job);
  const moments = [
    momentOf(job.deadline),
    due,
    // From here on a back-off of the job's own no longer delays owed mail (rule 6b).
    due - backoffPause(job, job.unclaimed_count),
    ...(job.lease === null ? [] : [momentOf(job.lease.until)]),
    ...(offer === undefined ? [] : mailGraceMoments(job, offer)),
  ];
  return [...new Set(moments)].sort((a, b) => a - b);
}
