import { numberText } from "../../json/json.ts";
import { plainNumber } from "../../json/number-value.ts";
import { isWokenCheckpoint, latestWake } from "../attempt.ts";
import { isTerminal, type Job, type Receipt } from "../job.ts";
import { formatTime, type Seconds } from "../time.ts";
import { leaseEnd } from "./apply-change.ts";

/** What a claimant shows to act on its attempt: what CLAIMED answered, and its own name. */
export interface ClaimProof {
  readonly job_id: string;
  readonly attempt_id: string;
  readonly claim_id: string;
  readonly worker_id: string;
}

/** The `delivery_claim` receipt that the proof names; a worker's name alone is no authority (contract §6). */
export function findClaim(job: Job, proof: ClaimProof): Receipt | undefined {
  return job.event_receipts.find(
    (receipt) =>
      receipt.event === "delivery_claim" &&
      receipt.attempt_id === proof.attempt_id &&
      receipt["claim_id"] === proof.claim_id &&
      receipt["worker_id"] === proof.worker_id,
  );
}

/**
 * Whether the claimant still holds its attempt: its lease_id stands on the job and the checkpoint is the woken one. A
 * lease that ran out and that nobody took over is still held; after a back-off, a new offer or a new attempt it is not.
 */
export function isStillHeld(job: Job, claim: Receipt): boolean {
  return !isTerminal(job.status) && job.lease !== null && job.lease.lease_id === claim["lease_id"] && isWokenCheckpoint(job);
}

/** Whether no newer offer was made than the one that was claimed. */
export function isLatestOffer(job: Job, claim: Receipt): boolean {
  return latestWake(job)?.lease_id === claim["lease_id"];
}

export function renewedJob(job: Job, now: Seconds): Job {
  if (job.lease === null) return job;
  return { ...job, lease: { ...job.lease, until: leaseEnd(job, now) }, updated_at: formatTime(now) };
}

/**
 * Counts what an attempt reports as its own total so far. The claim's receipt keeps its greatest report, and the job's
 * tokens_used is the sum over its attempts: repeated, late and smaller reports count nothing twice (contract §6).
 */
export function withTokens(job: Job, claim: Receipt, tokensUsed: number | undefined): Job {
  const before = reported(claim);
  if (tokensUsed === undefined || tokensUsed <= before) return job;
  const index = job.event_receipts.findIndex(
    (receipt) => receipt.event === "delivery_claim" && receipt["claim_id"] === claim["claim_id"],
  );
  return {
    ...job,
    event_receipts: job.event_receipts.with(index, { ...claim, tokens_used: tokensUsed }),
    tokens_used: Math.min(job.tokens_used + tokensUsed - before, Number.MAX_SAFE_INTEGER),
  };
}

function reported(claim: Receipt): number {
  const text = numberText(claim["tokens_used"]);
  return text === undefined ? 0 : Number(plainNumber(text));
}
