import { type Job, type Lease, momentOf } from "../job.ts";
import { addSeconds, formatTime, type Seconds } from "../time.ts";

/** When a lease given or renewed at `now` ends. A clock that went back shortens no lease (contract §3). */
export function leaseEnd(job: Pick<Job, "lease" | "lease_seconds">, now: Seconds): Lease["until"] {
  const end = addSeconds(now, job.lease_seconds);
  return formatTime(job.lease === null ? end : Math.max(end, momentOf(job.lease.until)));
}
