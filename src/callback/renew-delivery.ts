import { type Applied, applied, type Held, type Refused, refusal } from "../answer.ts";
import type { Fleet } from "../fleet.ts";
import type { Lease } from "../job/job.ts";
import { decideRenew, type RenewRefusal } from "../job/moves/renew.ts";
import { writeIfMoved } from "../store/job-store.ts";
import type { Caller } from "./caller.ts";
import { type ClaimRef, decideOnClaim, requireProof, type Usage } from "./decide-on-claim.ts";

export type RenewOptions = Caller & Usage;

export interface Renewed extends Applied<"RENEWED"> {
  readonly lease: Lease;
}

export type RenewAnswer = Renewed | Refused<RenewRefusal | "NOT_FOUND"> | Held;

const WHY_NOT = {
  LEASE_LOST:
    "the lease is no longer this claim's; stop the model, and finish with what there is: it counts unless the job was offered anew or its owner took it back",
  DONE: "the job is done; stop working",
  CANCELLED: "the job is cancelled; stop working",
  EXHAUSTED: "the job is exhausted; stop working",
  DEADLINE: "the job's deadline is over; stop the model, and finish with what there is",
  BUDGET: "the job's tokens are used up; stop the model, and finish with what there is",
  BLOCKED: "the job is blocked; stop the model, and finish with what there is",
} as const satisfies Record<RenewRefusal, string>;

/**
 * Keeps an attempt's lease alive while its work goes on: until = max(until, now + lease_seconds) (contract §6). Whatever
 * else it answers extends nothing: stop the model then. Throws JobError SCHEMA, and for a store that fails.
 */
export async function renewDelivery(fleet: Fleet, claim: ClaimRef, options: RenewOptions): Promise<RenewAnswer> {
  const proof = requireProof(claim, options);
  const { job_id, attempt_id } = proof;
  return decideOnClaim<Renewed | Refused<RenewRefusal>>(fleet, proof, options, (job) => {
    const decision = decideRenew(job, proof, options, fleet.clock.now());
    const write = writeIfMoved(job, decision.job, `${decision.state} ${attempt_id}`);
    if (decision.state === "RENEWED")
      return { answer: { ...applied("RENEWED", job_id, attempt_id), lease: decision.lease }, ...write };
    return { answer: { ...refusal(decision.state, job_id, WHY_NOT[decision.state]), attempt_id }, ...write };
  });
}
