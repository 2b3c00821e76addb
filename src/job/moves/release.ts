import type { Job } from "../job.ts";
import { latestOffer } from "../offer.ts";
import { isEvent } from "../receipt.ts";
import { formatTime, type Seconds } from "../time.ts";
import { hasAuthority } from "./authority.ts";
import { nextWakes } from "./next-wakes.ts";
import { record } from "./record.ts";

/**
 * The job whose offer its owner took back: no lease, and the claim of it is over (contract §6). A BLOCKED job stays so; an
 * open one is woken by the next due tick. Undefined where nothing is offered or claimed.
 */
export function releasedJob(job: Job, now: Seconds): Job | undefined {
  const isClaimGood = job.event_receipts.some((receipt) => isEvent(receipt, "delivery_claim") && hasAuthority(job, receipt));
  if (job.lease === null && !isClaimGood) return undefined;
  const ts = formatTime(now);
  return {
    ...job,
    ...record(job, { attempt_id: latestOffer(job)?.attempt_id ?? `${job.job_id}-release`, event: "release", ts }),
    ...nextWakes(job),
    status: job.status === "BLOCKED" ? "BLOCKED" : "OPEN",
    lease: null,
    updated_at: ts,
  };
}
