import type { Job } from "../job.ts";
import { formatTime, type Seconds } from "../time.ts";
import { record } from "./record.ts";

export function cancelledJob(job: Job, reason: string, now: Seconds): Job {
  const ts = formatTime(now);
  return {
    ...job,
    ...record(job, { attempt_id: `${job.job_id}-cancel`, event: "cancel", reason, ts }),
    status: "CANCELLED",
    lease: null,
    cancel_reason: reason,
    updated_at: ts,
  };
}
