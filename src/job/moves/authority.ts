import { isTerminal, type Job } from "../job.ts";
import { isWokenCheckpoint, latestOffer } from "../offer.ts";
import { isEvent, type Receipt, type StoredReceipt } from "../receipt.ts";

/** What a claimant shows to act on its attempt: what CLAIMED answered, and its own name. */
export interface ClaimProof {
  readonly job_id: string;
  readonly attempt_id: string;
  readonly claim_id: string;
  readonly worker_id: string;
}

/** The claim that a proof names, as its receipt in the job's history. */
export type ClaimReceipt = StoredReceipt<"delivery_claim">;

/** The `delivery_claim` receipt that the proof names; a worker's name alone is no authority (contract §6). */
export function findClaim(job: Job, proof: ClaimProof): ClaimReceipt | undefined {
  return job.event_receipts.find(
    (receipt): receipt is ClaimReceipt =>
      isEvent(receipt, "delivery_claim") && isOfClaim(receipt, proof) && receipt.worker_id === proof.worker_id,
  );
}

/** A caller may give one claim_id with the claims of several attempts, so it names a claim only beside its attempt. */
export function isOfClaim(
  receipt: StoredReceipt<"delivery_claim" | "ack" | "failed">,
  claim: ClaimProof | ClaimReceipt,
): boolean {
  return receipt.attempt_id === claim.attempt_id && receipt.claim_id === claim.claim_id;
}

/**
 * Whether the claim still moves the job (contract §6): it is the claim of the latest offer and the woken checkpoint, the
 * job has not ended, and nobody finished, failed, checkpointed or released it since. A lease that ran out, a back-off and a
 * block end no claim: work that comes in late is kept while nobody else was offered it.
 */
export function hasAuthority(job: Job, claim: ClaimReceipt): boolean {
  return !isTerminal(job.status) && isOfLatestOffer(job, claim) && isWokenCheckpoint(job) && !isOver(job, claim);
}

/** Whether no newer offer was made than the one that was claimed. */
export function isOfLatestOffer(job: Job, claim: ClaimReceipt): boolean {
  const offer = latestOffer(job);
  return offer?.attempt_id === claim.attempt_id && offer.lease_id === claim.lease_id;
}

/** Whether a receipt after the claim says that the attempt ended. */
export function isOver(job: Job, claim: ClaimReceipt): boolean {
  const since = job.event_receipts.slice(job.event_receipts.indexOf(claim) + 1);
  return since.some((receipt) => endsAttempt(receipt) && receipt.attempt_id === claim.attempt_id);
}

function endsAttempt(receipt: Receipt): boolean {
  return ["ack", "checkpoint", "failed", "release"].includes(receipt.event);
}
