import { sha256Of, shortFingerprint } from "../json/fingerprint.ts";
import { isTerminal, type Job, momentOf, type Receipt } from "./job.ts";
import type { Seconds } from "./time.ts";

/** `<job_id>-aNN`: a receipt for one wake, never an identity (contract §1). */
export function attemptId(jobId: string, number: number): string {
  return `${jobId}-a${String(number).padStart(2, "0")}`;
}

/** An attempt is claimed when one of its receipts has one of these events (contract §3). */
const CLAIMING_EVENTS: readonly string[] = ["delivery_claim", "checkpoint", "ack", "failed"];

/** The newest offer of the newest attempt: the last `wake` receipt. */
export interface LatestWake {
  readonly attempt_id: string;
  readonly lease_id: string;
  readonly at: Seconds;
  /** Whether the wake was minted with a promise of mail. */
  readonly promisesMail: boolean;
  /** The receipts that came after it. */
  readonly since: readonly Receipt[];
}

export function latestWake(job: Job): LatestWake | undefined {
  const index = job.event_receipts.findLastIndex((receipt) => receipt.event === "wake");
  const receipt = job.event_receipts[index];
  if (receipt === undefined) return undefined;
  const leaseId = receipt["lease_id"];
  return {
    attempt_id: receipt.attempt_id,
    lease_id: typeof leaseId === "string" ? leaseId : "",
    at: momentOf(receipt.ts),
    promisesMail: receipt["mail"] === "owed",
    since: job.event_receipts.slice(index + 1),
  };
}

export function isClaimed(job: Job, attempt_id: string): boolean {
  return job.event_receipts.some((receipt) => receipt.attempt_id === attempt_id && CLAIMING_EVENTS.includes(receipt.event));
}

/** Mailed: a `deliver` MAIL of the attempt stands after its latest wake (contract §3). */
export function isMailed(wake: LatestWake): boolean {
  return wake.since.some(
    (receipt) => receipt.event === "deliver" && receipt["carrier"] === "MAIL" && receipt.attempt_id === wake.attempt_id,
  );
}

/** Whether the checkpoint is still the one that the job was last woken with; false for a job that never woke. */
export function isWokenCheckpoint(job: Job): boolean {
  if (typeof job.last_wake_checkpoint_sha256 === "string") return sha256Of(job.checkpoint) === job.last_wake_checkpoint_sha256;
  if (typeof job.last_wake_checkpoint_fp === "string") {
    return shortFingerprint(sha256Of(job.checkpoint)) === job.last_wake_checkpoint_fp;
  }
  return false;
}

/** Nobody has taken up the latest wake, and what it was woken for still stands. */
export function isUnanswered(job: Job, wake: LatestWake): boolean {
  return !isClaimed(job, wake.attempt_id) && isWokenCheckpoint(job);
}

/** Whether the latest wake's mail is owed, on a job that no hold covers (contract §3). */
export function isMailOwed(job: Job, wake: LatestWake): boolean {
  if (isTerminal(job.status) || job.status === "BLOCKED" || job.blocker !== null) return false;
  return wake.promisesMail && !isMailed(wake) && isUnanswered(job, wake);
}
