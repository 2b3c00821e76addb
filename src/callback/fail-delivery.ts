import { type Applied, applied, type Held, type Refused, refusal } from "../answer.ts";
import { JobError } from "../errors/job-error.ts";
import type { Fleet } from "../fleet.ts";
import { DETAIL_CHARACTERS_MAX } from "../job/limits.ts";
import { decideFail, type FailRefusal } from "../job/moves/fail.ts";
import { writeIfMoved } from "../store/job-store.ts";
import type { Caller } from "./caller.ts";
import { type ClaimRef, decideOnClaim, requireProof, type Usage } from "./decide-on-claim.ts";

export interface FailOptions extends Caller, Usage {
  /** What went wrong, for the job's history: at most 4,000 characters. */
  readonly detail: string;
}

export type FailAnswer = Applied<"FAILED"> | Refused<FailRefusal | "NOT_FOUND"> | Held;

/**
 * Gives a claimed attempt up (contract §6): no lease, the checkpoint unmoved. The next tick backs off, and the next attempt
 * is a new one. The same call again is a no-op. Throws JobError SCHEMA, and for a store that fails.
 */
export async function failDelivery(fleet: Fleet, claim: ClaimRef, options: FailOptions): Promise<FailAnswer> {
  const proof = requireProof(claim, options);
  const { detail } = options;
  if (typeof detail !== "string" || detail.length > DETAIL_CHARACTERS_MAX) {
    throw new JobError("SCHEMA", `detail must be text of at most ${DETAIL_CHARACTERS_MAX} characters`, { field: "detail" });
  }
  const { job_id, attempt_id } = proof;
  return decideOnClaim<Applied<"FAILED"> | Refused<FailRefusal>>(fleet, proof, options, (job) => {
    const decision = decideFail(job, proof, detail, options, fleet.clock.now());
    const write = writeIfMoved(job, decision.job, `${decision.state} ${attempt_id}`);
    if (decision.state === "FAILED") {
      return { answer: { ...applied("FAILED", job_id, attempt_id), ...(decision.replay && { replay: true }) }, ...write };
    }
    const message = `${attempt_id} is no longer this claim's to give up`;
    return { answer: { ...refusal(decision.state, job_id, message), attempt_id }, ...write };
  });
}
