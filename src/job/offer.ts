import { sha256Of, shortFingerprint } from "../json/fingerprint.ts";
import { findHold, type HoldRule } from "./hold.ts";
import { isTerminal, type Job, momentOf } from "./job.ts";
import { claimsItsAttempt, isEvent, type Receipt } from "./receipt.ts";
import type { Seconds } from "./time.ts";

/** `<job_id>-aNN`: a receipt for one wake, never an identity (contract §1). */
export function attemptId(jobId: string, number: number): string {
  return `${jobId}-a${String(number).padStart(2, "0")}`;
}

/** The number of an attempt of this job; undefined for any other text. */
export function attemptNumber(attempt_id: string, jobId: string): number | undefined {
  const digits = /-a(\d{2,7})$/.exec(attempt_id)?.[1];
  const number = Number(digits);
  return digits !== undefined && number > 0 && attempt_id === attemptId(jobId, number) ? number : undefined;
}

/** The latest `wake` receipt: one attempt under one lease_id (contract §1). */
export interface Offer {
  readonly attempt_id: string;
  readonly lease_id: string;
  readonly at: Seconds;
  /** Whether mail was promised for it. */
  readonly isPromised: boolean;
  /** The receipts that came after it. */
  readonly since: readonly Receipt[];
}

export function latestOffer(job: Job): Offer | undefined {
  const index = job.event_receipts.findLastIndex((receipt) => receipt.event === "wake");
  const receipt = job.event_receipts[index];
  if (receipt === undefined || !isEvent(receipt, "wake")) return undefined;
  return {
    attempt_id: receipt.attempt_id,
    lease_id: typeof receipt.lease_id === "string" ? receipt.lease_id : "",
    at: momentOf(receipt.ts),
    isPromised: receipt.mail === "owed",
    since: job.event_receipts.slice(index + 1),
  };
}

/** Whether any receipt of the attempt says that a harness took it (contract §1). */
export function isClaimed(job: Job, attempt_id: string): boolean {
  return job.event_receipts.some((receipt) => receipt.attempt_id === attempt_id && claimsItsAttempt(receipt));
}

/** Whether a claimant is at work: the latest offer is claimed and its lease runs. */
export function isAtWork(job: Job, now: Seconds): boolean {
  const offer = latestOffer(job);
  const isLive = job.lease !== null && momentOf(job.lease.until) > now;
  return isLive && offer !== undefined && isClaimed(job, offer.attempt_id);
}

/** The sha256 of a job's checkpoint. A wake asks for it four times, and nothing changes a checkpoint in place. */
export function checkpointSha256({ checkpoint }: Job): string {
  const known = checkpointSha256s.get(checkpoint);
  if (known !== undefined) return known;
  const sha256 = sha256Of(checkpoint);
  checkpointSha256s.set(checkpoint, sha256);
  return sha256;
}

const checkpointSha256s = new WeakMap<Job["checkpoint"], string>();

/** Whether the checkpoint is still the one that the job was last woken with; false for a job that never woke. */
export function isWokenCheckpoint(job: Job): boolean {
  if (typeof job.last_wake_checkpoint_sha256 === "string") return checkpointSha256(job) === job.last_wake_checkpoint_sha256;
  if (typeof job.last_wake_checkpoint_fp === "string") {
    return shortFingerprint(checkpointSha256(job)) === job.last_wake_checkpoint_fp;
  }
  return false;
}

/** Whether the checkpoint is another than the one that the job was last woken with. */
export function hasMovedSinceWake(job: Job): boolean {
  const isKnown = typeof (job.last_wake_checkpoint_sha256 ?? job.last_wake_checkpoint_fp) === "string";
  return isKnown && !isWokenCheckpoint(job);
}

/** A promised offer whose attempt nobody has claimed (contract §1). */
export function isUnanswered(job: Job, offer: Offer): boolean {
  return offer.isPromised && !isClaimed(job, offer.attempt_id);
}

/** Whether a `deliver` MAIL of the attempt stands after the offer. */
function isMailed(offer: Offer): boolean {
  return offer.since.some(
    (receipt) => isEvent(receipt, "deliver") && receipt.carrier === "MAIL" && receipt.attempt_id === offer.attempt_id,
  );
}

/** Unanswered and not mailed, on a job that is neither terminal, blocked nor held (contract §1). */
export function isMailOwed(job: Job, offer: Offer, holds: readonly HoldRule[]): boolean {
  if (isTerminal(job.status) || job.status === "BLOCKED" || job.blocker !== null) return false;
  return isUnanswered(job, offer) && !isMailed(offer) && findHold(holds, [job.harness]) === undefined;
}
