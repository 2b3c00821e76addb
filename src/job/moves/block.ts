import { type Blocker, isLeaseLive, type Job } from "../job.ts";
import { formatTime, type Seconds } from "../time.ts";
import { nextWakes } from "./next-wakes.ts";

/** The blocked job. A live lease runs out by itself, so that no second model starts beside the first (contract §6). */
export function blockedJob(job: Job, blocker: Blocker, now: Seconds): Job {
  return {
    ...job,
    status: "BLOCKED",
    lease: isLeaseLive(job, now) ? job.lease : null,
    blocker: { ...blocker },
    last_blocker_fingerprint: blocker.fingerprint,
    updated_at: formatTime(now),
  };
}

/** The job without its blocker, so that the next due tick wakes it (contract §6). */
export function unblockedJob(job: Job, now: Seconds): Job {
  return {
    ...job,
    ...nextWakes(job),
    status: isLeaseLive(job, now) ? "LEASED" : "OPEN",
    blocker: null,
    last_blocker_fingerprint: null,
    updated_at: formatTime(now),
  };
}
