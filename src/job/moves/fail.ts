import { isTerminal, type Job, type TerminalStatus } from "../job.ts";
import { isEvent } from "../receipt.ts";
import { formatTime, type Seconds } from "../time.ts";
import { type ClaimProof, findClaim, hasAuthority, isOfClaim } from "./authority.ts";
import { restingStatus } from "./ended-attempt.ts";
import { record } from "./record.ts";
import { type Report, withReport } from "./report.ts";

export type FailRefusal = "STALE_ATTEMPT" | TerminalStatus;

/** `job` is the moved job; for a refusal and a replay with the claimant's report noted, where there is news in it. */
export type FailDecision =
  | { readonly state: FailRefusal; readonly job: Job }
  | { readonly state: "FAILED"; readonly replay: boolean; readonly job: Job };

/** Decides a claimant's giving up (contract §6): no lease, the checkpoint unmoved. The same call again is a no-op. */
export function decideFail(job: Job, proof: ClaimProof, detail: string, report: Report, now: Seconds): FailDecision {
  const before = findClaim(job, proof);
  if (before === undefined) return { state: "STALE_ATTEMPT", job };
  const counted = isTerminal(job.status) ? job : withReport(job, before, report);
  const isRepeated = job.event_receipts.some(
    (receipt) => isEvent(receipt, "failed") && isOfClaim(receipt, proof) && receipt.detail === detail,
  );
  if (isRepeated) return { state: "FAILED", replay: true, job: counted };
  if (isTerminal(job.status)) return { state: job.status, job };
  if (!hasAuthority(counted, findClaim(counted, proof) ?? before)) return { state: "STALE_ATTEMPT", job: counted };
  const { attempt_id, claim_id, worker_id } = proof;
  const ts = formatTime(now);
  const failed: Job = {
    ...counted,
    ...record(counted, { attempt_id, claim_id, detail, event: "failed", ts, worker_id }),
    status: restingStatus(counted),
    lease: null,
    updated_at: ts,
  };
  return { state: "FAILED", replay: false, job: failed };
}
