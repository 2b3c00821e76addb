import type { Json } from "../../json/json.ts";
import type { WrittenReceipt } from "../receipt.ts";
import { formatTime } from "../time.ts";
import type { ClaimReceipt } from "./authority.ts";
import type { FinishFacts } from "./finish-decision.ts";

/** The receipt that ends a claimed attempt well, and by which a repeated finish is known (contract §6). */
export function ackReceipt(
  claim: ClaimReceipt,
  state: "CHECKPOINT" | "DONE",
  step: Json,
  next_wake_at: string,
  facts: Pick<FinishFacts, "now" | "outcome_sha256">,
): WrittenReceipt<"ack"> {
  return {
    attempt_id: claim.attempt_id,
    claim_id: String(claim.claim_id),
    event: "ack",
    next_wake_at,
    outcome_sha256: facts.outcome_sha256,
    state,
    step,
    ts: formatTime(facts.now),
    worker_id: String(claim.worker_id),
  };
}
