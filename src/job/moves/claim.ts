import type { Json } from "../../json/json.ts";
import { isBlockedUnchanged } from "../blocker.ts";
import { isLeaseLive, isTerminal, type Job, type Lease, momentOf, type TerminalStatus } from "../job.ts";
import { isClaimed, isWokenCheckpoint, latestOffer } from "../offer.ts";
import { formatTime, type Seconds } from "../time.ts";
import { findClaim, hasAuthority } from "./authority.ts";
import { leaseEnd } from "./lease-end.ts";
import { stepToDo } from "./next-checkpoint.ts";
import { record } from "./record.ts";
import { isUntouched } from "./report.ts";

/** Who claims, when, and under which fresh identity. */
export interface ClaimFacts {
  readonly now: Seconds;
  readonly worker_id: string;
  readonly claim_id: string;
}

export type ClaimRefusal = "REPLAY" | TerminalStatus | "STALE_ATTEMPT" | "DEADLINE" | "BUDGET" | "BLOCKED";

export type ClaimDecision =
  | { readonly state: ClaimRefusal }
  /** `replay`: the claim stood before, and its answer was lost; nothing moves. */
  | { readonly state: "CLAIMED"; readonly replay: boolean; readonly job: Job; readonly lease: Lease; readonly step: Json };

/**
 * Decides whether an attempt may be taken, contract §6 consumeDelivery 3 to 7, first match wins. Only CLAIMED moves the
 * job: the lease passes to the worker; neither the checkpoint nor the ACK moves.
 */
export function decideClaim(job: Job, attempt_id: string, facts: ClaimFacts): ClaimDecision {
  if (isClaimed(job, attempt_id)) return repeatedClaim(job, attempt_id, facts) ?? { state: "REPLAY" };
  if (isTerminal(job.status)) return { state: job.status };
  const offer = latestOffer(job);
  const isOffered = offer?.attempt_id === attempt_id && job.lease?.lease_id === offer.lease_id && isLeaseLive(job, facts.now);
  if (!isOffered || !isWokenCheckpoint(job) || job.lease === null) return { state: "STALE_ATTEMPT" };
  if (facts.now >= momentOf(job.deadline)) return { state: "DEADLINE" };
  if (job.tokens_used >= job.budget_tokens) return { state: "BUDGET" };
  if (isBlockedUnchanged(job)) return { state: "BLOCKED" };

  const ts = formatTime(facts.now);
  const lease = { ...job.lease, holder: facts.worker_id, until: leaseEnd(job, facts.now) };
  const step = stepToDo(job);
  const claimed: Job = {
    ...job,
    ...record(job, {
      attempt_id,
      claim_id: facts.claim_id,
      event: "delivery_claim",
      lease_id: lease.lease_id,
      step,
      tokens_used: 0,
      ts,
      wake_checkpoint_fp: job.last_wake_checkpoint_fp ?? null,
      wake_checkpoint_sha256: job.last_wake_checkpoint_sha256 ?? null,
      worker_id: facts.worker_id,
    }),
    status: "LEASED",
    lease,
    unclaimed_count: 0,
    in_backoff: false,
    next_wake_at: momentOf(job.next_wake_at) > facts.now ? ts : job.next_wake_at,
    updated_at: ts,
  };
  return { state: "CLAIMED", replay: false, job: claimed, lease, step };
}

/**
 * A claim whose answer was lost: the same claim_id by the same worker, its lease live, and nothing noted on it since. Only
 * who drew the claim_id can know it, so the attempt still runs a model at most once.
 */
function repeatedClaim(job: Job, attempt_id: string, { claim_id, worker_id, now }: ClaimFacts): ClaimDecision | undefined {
  const claim = findClaim(job, { job_id: job.job_id, attempt_id, claim_id, worker_id });
  const isSame = claim !== undefined && isUntouched(claim) && hasAuthority(job, claim);
  if (!isSame || job.lease === null || job.lease.lease_id !== claim.lease_id || !isLeaseLive(job, now)) return undefined;
  return { state: "CLAIMED", replay: true, job, lease: job.lease, step: claim.step ?? null };
}
