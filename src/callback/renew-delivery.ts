import { type Answer, type Fleet, refusal } from "../fleet.ts";
import { isTerminal, type Lease } from "../job/job.ts";
import { findClaim, isStillHeld, renewedJob, withTokens } from "../job/moves/held-claim.ts";
import type { Caller } from "./caller.ts";
import { type ClaimRef, claimStep, requireProof, requireTokens } from "./claim-step.ts";

export interface RenewOptions extends Caller {
  /** This attempt's own total so far. */
  readonly tokensUsed?: number;
}

export interface Renewed extends Answer {
  readonly state: "RENEWED";
  readonly lease: Lease;
}

/**
 * Keeps an attempt's lease alive while its work goes on: until = max(until, now + lease_seconds) (contract §6). Answers
 * LEASE_LOST where the attempt was given up or offered again; then stop working, the result would be refused.
 */
export async function renewDelivery(fleet: Fleet, claim: ClaimRef, options: RenewOptions): Promise<Renewed | Answer> {
  const proof = requireProof(claim, options);
  requireTokens(options.tokensUsed);
  const { job_id, attempt_id } = proof;
  return claimStep<Renewed>(fleet, proof, options, (job) => {
    const receipt = findClaim(job, proof);
    if (receipt === undefined || !isStillHeld(job, receipt)) {
      const state = receipt !== undefined && isTerminal(job.status) ? job.status : "LEASE_LOST";
      return {
        answer: {
          ...refusal(state, job_id, `the lease of ${attempt_id} is no longer this claim's; stop working on it`),
          attempt_id,
        },
      };
    }
    const renewed = renewedJob(withTokens(job, receipt, options.tokensUsed), fleet.clock.now());
    const { lease } = renewed;
    if (lease === null) throw new TypeError("a lease that is still held is there");
    return {
      answer: { ok: true, state: "RENEWED", invoke_model: false, job_id, attempt_id, lease },
      write: { job: renewed, note: `RENEWED ${attempt_id}` },
    };
  });
}
