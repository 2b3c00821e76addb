import { JobError } from "../errors/job-error.ts";
import { type Answer, type Fleet, refusal } from "../fleet.ts";
import { isTerminal } from "../job/job.ts";
import { record } from "../job/moves/apply-change.ts";
import { findClaim, isStillHeld, withTokens } from "../job/moves/held-claim.ts";
import { formatTime } from "../job/time.ts";
import type { Caller } from "./caller.ts";
import { type ClaimRef, claimStep, requireProof, requireTokens } from "./claim-step.ts";

export interface FailOptions extends Caller {
  /** What went wrong, for the job's history. */
  readonly detail: string;
  readonly tokensUsed?: number;
}

/** A detail is a line or two; a log belongs elsewhere. */
const DETAIL_CHARACTERS_MAX = 4_000;

/**
 * Gives a claimed attempt up (contract §6): OPEN, no lease, the checkpoint unmoved. The next tick backs off, and the next
 * attempt is a new one. The same call again is a no-op.
 */
export async function failDelivery(fleet: Fleet, claim: ClaimRef, options: FailOptions): Promise<Answer> {
  const proof = requireProof(claim, options);
  requireTokens(options.tokensUsed);
  const { detail } = options;
  if (typeof detail !== "string" || detail.length > DETAIL_CHARACTERS_MAX) {
    throw new JobError("SCHEMA", `detail must be text of at most ${DETAIL_CHARACTERS_MAX} characters`, { field: "detail" });
  }
  const { job_id, attempt_id, claim_id, worker_id } = proof;
  const done: Answer = { ok: true, state: "FAILED", invoke_model: false, job_id, attempt_id };
  return claimStep(fleet, proof, options, (job) => {
    const receipt = findClaim(job, proof);
    const isRepeated = job.event_receipts.some(
      (other) => other.event === "failed" && other["claim_id"] === claim_id && other["detail"] === detail,
    );
    if (receipt !== undefined && isRepeated) return { answer: { ...done, replay: true } };
    if (receipt === undefined || !isStillHeld(job, receipt)) {
      const state = receipt !== undefined && isTerminal(job.status) ? job.status : "STALE_ATTEMPT";
      return { answer: { ...refusal(state, job_id, `${attempt_id} is no longer this claim's to give up`), attempt_id } };
    }
    const ts = formatTime(fleet.clock.now());
    const counted = withTokens(job, receipt, options.tokensUsed);
    const failed = record(counted, { attempt_id, claim_id, detail, event: "failed", ts, worker_id });
    return {
      answer: done,
      write: { job: { ...counted, ...failed, status: "OPEN", lease: null, updated_at: ts }, note: `FAILED ${attempt_id}` },
    };
  });
}
