import { type Answer, type Fleet, refusal } from "../fleet.ts";
import { asDocument } from "../job/file/parse-job.ts";
import { type BlockerKind, isLeaseLive } from "../job/job.ts";
import { blockedJob, blockerOf, cancelledJob, touchesShielded, unblockedJob, updatedJob } from "../job/moves/owner-change.ts";
import { type JobFields, requireFields } from "./job-fields.ts";
import { liveOwnerStep, ownerStep } from "./owner-step.ts";

/**
 * Changes the owner's fields (contract §6). Refuses LEASE_HELD where a live lease shields one of them, and terminal jobs.
 * Throws JobError SCHEMA for a bad value, a field that transitions keep, or a budget that would rise.
 */
export async function updateJob(fleet: Fleet, jobId: string, fields: JobFields, source = "update"): Promise<Answer> {
  const now = fleet.clock.now();
  return liveOwnerStep(fleet, jobId, "UPDATED", (job) => {
    const edits = requireFields(fields, asDocument(job), source);
    if (isLeaseLive(job, now) && touchesShielded(edits)) {
      const message = `${job.lease?.holder} is at work on ${jobId} until ${job.lease?.until}; wait, or cancel it`;
      return { refused: refusal("LEASE_HELD", jobId, message) };
    }
    return { to: updatedJob(job, edits, now, source) };
  });
}

/** Ends the job for good: CANCELLED. A second cancel is a no-op; DONE and EXHAUSTED stay what they are. */
export async function cancelJob(fleet: Fleet, jobId: string, reason: string): Promise<Answer> {
  return ownerStep(fleet, jobId, "CANCELLED", (job) => {
    switch (job.status) {
      case "CANCELLED":
        return "already_so";
      case "DONE":
      case "EXHAUSTED":
        return { refused: refusal(job.status, jobId, `${jobId} is ${job.status} already`) };
      case "OPEN":
      case "LEASED":
      case "BLOCKED":
        return { to: cancelledJob(job, reason, fleet.clock.now()) };
    }
  });
}

/** Blocks the job on something outside: it sleeps until unblocked, or until its blocker changes. Ends a lease. */
export async function blockJob(fleet: Fleet, jobId: string, kind: BlockerKind, detail: string): Promise<Answer> {
  const blocker = blockerOf(kind, detail);
  return liveOwnerStep(fleet, jobId, "BLOCKED", (job) => {
    const known = [job.blocker?.fingerprint, job.last_blocker_fingerprint];
    const isSame = job.status === "BLOCKED" && known.every((fingerprint) => fingerprint === blocker.fingerprint);
    return isSame ? "already_so" : { to: blockedJob(job, blocker, fleet.clock.now()) };
  });
}

/** Clears the blocker and what is remembered of it. A job that is not blocked stays as it is. */
export async function unblockJob(fleet: Fleet, jobId: string): Promise<Answer> {
  return liveOwnerStep(fleet, jobId, "UNBLOCKED", (job) => {
    const isBlocked = job.status === "BLOCKED" || job.blocker !== null;
    return isBlocked ? { to: unblockedJob(job, fleet.clock.now()) } : "already_so";
  });
}
