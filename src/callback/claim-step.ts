import { JobError } from "../errors/job-error.ts";
import { type Answer, type Fleet, refusal } from "../fleet.ts";
import { rulesInForce } from "../holds/holds.ts";
import { requireJobId } from "../job/file/schema.ts";
import type { Job } from "../job/job.ts";
import type { ClaimProof } from "../job/moves/held-claim.ts";
import { type Step, transactOne } from "../store/job-store.ts";
import { type Caller, heldAnswer, holdOver, requireCaller } from "./caller.ts";

/** What CLAIMED answered; the rest of that answer may be there too. */
export interface ClaimRef {
  readonly job_id: string;
  readonly attempt_id: string;
  readonly claim_id: string;
}

/** Throws JobError SCHEMA for what is not the answer of a claim. */
export function requireProof(claim: ClaimRef, caller: Caller): ClaimProof {
  requireCaller(caller);
  for (const field of ["job_id", "attempt_id", "claim_id"] as const) {
    if (typeof claim?.[field] !== "string") {
      throw new JobError("SCHEMA", `the claim has no ${field}; give what CLAIMED answered`, { field });
    }
  }
  requireJobId(claim.job_id);
  return { job_id: claim.job_id, attempt_id: claim.attempt_id, claim_id: claim.claim_id, worker_id: caller.workerId };
}

/** Throws JobError SCHEMA for what is not a count of tokens. */
export function requireTokens(tokensUsed: number | undefined): void {
  if (tokensUsed === undefined || (Number.isSafeInteger(tokensUsed) && tokensUsed >= 0)) return;
  throw new JobError("SCHEMA", `tokensUsed is ${tokensUsed}; it must be a whole number, this attempt's own total so far`, {
    field: "tokensUsed",
  });
}

/** A transaction on the job of a claim; a job that is not there, or held, is answered here. */
export async function claimStep<A extends Answer, Special = never>(
  fleet: Fleet,
  proof: ClaimProof,
  caller: Caller,
  decide: (job: Job) => Step<A | Answer | Special>,
): Promise<A | Answer | Special> {
  const { job_id, attempt_id } = proof;
  const rules = await rulesInForce(fleet);
  return transactOne(fleet.store, job_id, ({ job }): Step<A | Answer | Special> => {
    if (job === undefined) return { answer: { ...refusal("NOT_FOUND", job_id, `there is no job ${job_id}`), attempt_id } };
    const hold = holdOver(rules, caller, [job.harness]);
    return hold === undefined ? decide(job) : { answer: heldAnswer(hold, job_id, attempt_id) };
  });
}
