import { momentOf } from "../../src/job/job.ts";
import type { Receipt } from "../../src/job/receipt.ts";
import { TRAIN } from "../support/job-builder.ts";
import type { MemoryFleet } from "../support/memory-fleet.ts";
import { isLive, type ModelJob } from "./reference-model.ts";

/** Where the program's job stands, in the words in which it is compared. */
export async function realStanding(fleet: MemoryFleet): Promise<object> {
  const job = await fleet.job();
  const { lease } = job;
  return {
    status: job.status,
    harness: job.harness,
    checkpoint: JSON.parse(fleet.text()).checkpoint,
    address: job.result_address,
    lease: lease && {
      isLive: momentOf(lease.until) > fleet.clock.now(),
      holder: lease.holder,
      until: momentOf(lease.until),
    },
    inBackoff: job.in_backoff,
    noProgress: job.no_progress_count,
    unclaimed: job.unclaimed_count,
    wokeOnce: job.woke_once,
    nextWakeAt: momentOf(job.next_wake_at),
    tokens: job.tokens_used,
    blocker: job.blocker?.detail,
    knowsBlocker: job.last_blocker_fingerprint != null,
    isKnownBlocker: job.blocker !== null && job.blocker.fingerprint === job.last_blocker_fingerprint,
    maxAttempts: job.max_attempts,
    attempts: job.attempt_count,
    exhaustedFor: job.exhausted_reason ?? undefined,
    result: job.result === undefined ? undefined : JSON.parse(fleet.text()).result,
    costs: job.event_receipts.filter(({ event }) => event === "delivery_claim").map(costOf),
    history: job.event_receipts.map(entryOf),
  };
}

function costOf({ tokens_used, cost_usd = null }: Receipt): object {
  return { tokens: tokens_used, cost: cost_usd === null ? undefined : Number(cost_usd) };
}

function entryOf({ event, attempt_id, ts, carrier, count, mail }: Receipt): string {
  return [event, attempt_id, momentOf(ts), carrier, count ?? 1, mail].filter((part) => part !== undefined).join(" ");
}

/** Where the model's job stands, in the same words. */
export function modelStanding(job: ModelJob, now: number): object {
  const { status, harness, checkpoint, address, lease, inBackoff, noProgress, unclaimed, nextWakeAt, tokens } = job;
  const { blocker, knownBlocker, maxAttempts, attempts, exhaustedFor, result } = job;
  return {
    status,
    harness,
    checkpoint,
    address,
    lease: lease === undefined ? null : { isLive: isLive(job, now), holder: lease.holder, until: lease.until },
    inBackoff,
    noProgress,
    unclaimed,
    wokeOnce: job.woken !== undefined,
    nextWakeAt,
    tokens,
    blocker,
    knowsBlocker: knownBlocker !== undefined,
    isKnownBlocker: blocker !== undefined && blocker === knownBlocker,
    maxAttempts,
    attempts,
    exhaustedFor,
    result,
    costs: job.claims.map((claim) => ({ tokens: claim.tokens, cost: claim.cost })),
    history: job.history.map(({ event, attempt, at, carrier, count = 1, promised }) =>
      [event, nameOf(attempt), at, carrier, count, promised ? "owed" : undefined].filter((part) => part !== undefined).join(" "),
    ),
  };
}

/** An attempt by its number; what is no attempt by its word; what came from outside as it came. */
function nameOf(attempt: number | string): string {
  if (typeof attempt === "number") return `${TRAIN}-a${String(attempt).padStart(2, "0")}`;
  return /^[a-z]/.test(attempt) ? `${TRAIN}-${attempt}` : attempt;
}
