import { type Held, heldAnswer, notFound, type Refused } from "../answer.ts";
import { JobError } from "../errors/job-error.ts";
import { type Decided, decideOne, type Fleet } from "../fleet.ts";
import { rulesInForce } from "../holds/holds.ts";
import type { PageState } from "../job/decide.ts";
import type { Job } from "../job/job.ts";
import { requireJobId } from "../job/job-id.ts";
import type { ClaimProof } from "../job/moves/authority.ts";
import { type Caller, holdOver, requireCaller } from "./caller.ts";

/** What CLAIMED answered; the rest of that answer may be there too. */
export interface ClaimRef {
  readonly job_id: string;
  readonly attempt_id: string;
  readonly claim_id: string;
}

/** What a claimant has used so far. */
export interface Usage {
  /** This attempt's own total so far, in tokens. */
  readonly tokensUsed?: number;
  /** This attempt's own total so far, in US dollars; leave it out where it is unknown. */
  readonly costUsd?: number;
}

/** Throws JobError SCHEMA for what is not the answer of a claim, or no count of tokens or dollars. */
export function requireProof(claim: ClaimRef, caller: Caller & Usage): ClaimProof {
  requireCaller(caller);
  for (const field of ["job_id", "attempt_id", "claim_id"] as const) {
    if (typeof claim?.[field] !== "string") {
      throw new JobError("SCHEMA", `the claim has no ${field}; give what CLAIMED answered`, { field });
    }
  }
  requireJobId(claim.job_id);
  requireUsage(caller);
  return { job_id: claim.job_id, attempt_id: claim.attempt_id, claim_id: claim.claim_id, worker_id: caller.workerId };
}

/** A million dollars for one attempt is a mistake of units. */
const COST_USD_MAX = 1_000_000;

function requireUsage({ tokensUsed, costUsd }: Usage): void {
  if (tokensUsed !== undefined && !(Number.isSafeInteger(tokensUsed) && tokensUsed >= 0)) {
    const message = `tokensUsed is ${tokensUsed}; it must be a whole number, this attempt's own total so far`;
    throw new JobError("SCHEMA", message, { field: "tokensUsed" });
  }
  if (costUsd !== undefined && !(Number.isFinite(costUsd) && costUsd >= 0 && costUsd <= COST_USD_MAX)) {
    const message = `costUsd is ${costUsd}; it must be an amount in US dollars, at most ${COST_USD_MAX}; leave it out where it is unknown`;
    throw new JobError("SCHEMA", message, { field: "costUsd" });
  }
}

/** Decides on the job of a claim; a job that is not there, or held, is answered here. */
export async function decideOnClaim<Answer>(
  fleet: Fleet,
  { job_id, attempt_id }: ClaimProof,
  caller: Caller,
  decide: (job: Job, pages: ReadonlyMap<string, PageState>) => Decided<Answer>,
): Promise<Answer | Refused<"NOT_FOUND"> | Held> {
  const rules = await rulesInForce(fleet);
  return decideOne(fleet, job_id, ({ job }, pages): Decided<Answer | Refused<"NOT_FOUND"> | Held> => {
    if (job === undefined) return { answer: { ...notFound(job_id), attempt_id } };
    const hold = holdOver(rules, caller, [job.harness]);
    return hold === undefined ? decide(job, pages) : { answer: heldAnswer(hold, job_id, attempt_id) };
  });
}
