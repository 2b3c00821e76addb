import type { Json } from "../../json/json.ts";
import type { Job } from "../job.ts";
import { formatTime, type Seconds } from "../time.ts";
import { completedFields } from "./completion.ts";
import { record } from "./record.ts";

/** The job declared done from outside an attempt (contract §6). The caller has verified the page of `address`. */
export function completedJob(job: Job, address: string, result: Json, now: Seconds): Job {
  const ts = formatTime(now);
  return {
    ...job,
    ...record(job, { attempt_id: `${job.job_id}-complete`, event: "complete", result_address: address, ts }),
    ...completedFields({ address, result }, ts),
    updated_at: ts,
  };
}
