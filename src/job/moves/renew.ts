import { isBlockedUnchanged } from "../blocker.ts";
import { isTerminal, type Job, type Lease, momentOf, type TerminalStatus } from "../job.ts";
import { formatTime, type Seconds } from "../time.ts";
import { type ClaimProof, findClaim, hasAuthority } from "./authority.ts";
import { leaseEnd } from "./lease-end.ts";
import { type Report, withClaim, withReport } from "./report.ts";

export type RenewRefusal = "LEASE_LOST" | TerminalStatus | "DEADLINE" | "BUDGET" | "BLOCKED";

/** `job` is the moved job: for a refusal with the claimant's report noted, where there is news in it. */
export type RenewDecision =
  | { readonly state: RenewRefusal; readonly job: Job }
  | { readonly state: "RENEWED"; readonly job: Job; readonly lease: Lease };

/**
 * Decides a renewal (contract §6): it needs the claim's own lease to stand on the job, and extends nothing past the
 * deadline or the budget, its own report counted first, or under a blocker that stops the tick.
 */
export function decideRenew(job: Job, proof: ClaimProof, report: Report, now: Seconds): RenewDecision {
  const claim = findClaim(job, proof);
  if (claim === undefined) return { state: "LEASE_LOST", job };
  if (isTerminal(job.status)) return { state: job.status, job };
  const counted = withReport(job, claim, report);
  const { lease } = counted;
  const noted = findClaim(counted, proof);
  if (lease === null || noted === undefined || lease.lease_id !== noted.lease_id || !hasAuthority(counted, noted)) {
    return { state: "LEASE_LOST", job: counted };
  }
  if (now >= momentOf(job.deadline)) return { state: "DEADLINE", job: counted };
  if (counted.tokens_used >= counted.budget_tokens) return { state: "BUDGET", job: counted };
  if (isBlockedUnchanged(counted)) return { state: "BLOCKED", job: counted };
  const ts = formatTime(now);
  const renewed = { ...lease, until: leaseEnd(counted, now) };
  const moved = { ...withClaim(counted, noted, { ...noted, renewed_at: ts }), lease: renewed, updated_at: ts };
  return { state: "RENEWED", job: moved, lease: renewed };
}
