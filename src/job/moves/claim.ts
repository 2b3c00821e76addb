import { JobError } from "../../errors/job-error.ts";
import type { Json, JsonObject } from "../../json/json.ts";
import { numberText } from "../../json/json.ts";
import { plainNumber } from "../../json/number-value.ts";
import { isClaimed, isWokenCheckpoint, latestWake } from "../attempt.ts";
import { isLeaseLive, isTerminal, type Job, type Lease, momentOf, type Receipt, type TerminalStatus } from "../job.ts";
import { checkpointEquals, DEFAULT_PREDICATE_PATH } from "../predicate.ts";
import { formatTime, type Seconds } from "../time.ts";
import { leaseEnd, record } from "./apply-change.ts";

/** Who claims, when, and under which fresh identity. */
export interface ClaimFacts {
  readonly now: Seconds;
  readonly worker_id: string;
  readonly claim_id: string;
}

export type ClaimRefusal = "REPLAY" | TerminalStatus | "STALE_ATTEMPT" | "DEADLINE" | "BUDGET" | "BLOCKED";

export type ClaimDecision =
  | { readonly state: ClaimRefusal; readonly job?: never }
  | { readonly state: "CLAIMED"; readonly job: Job; readonly lease: Lease; readonly step: Json };

/**
 * Decides whether an attempt may be taken, contract §6 consumeDelivery 3 to 7, first match wins. Only CLAIMED moves the
 * job: the lease passes to the worker; neither the checkpoint nor the ACK moves.
 */
export function decideClaim(job: Job, attempt_id: string, facts: ClaimFacts): ClaimDecision {
  if (isClaimed(job, attempt_id)) return { state: "REPLAY" };
  if (isTerminal(job.status)) return { state: job.status };
  const wake = latestWake(job);
  const isOffered = wake?.attempt_id === attempt_id && job.lease?.lease_id === wake.lease_id && isLeaseLive(job, facts.now);
  if (!isOffered || !isWokenCheckpoint(job) || job.lease === null) return { state: "STALE_ATTEMPT" };
  if (facts.now >= momentOf(job.deadline)) return { state: "DEADLINE" };
  if (job.tokens_used >= job.budget_tokens) return { state: "BUDGET" };
  if (job.status === "BLOCKED" || job.blocker !== null) return { state: "BLOCKED" };

  const lease = { ...job.lease, holder: facts.worker_id, until: leaseEnd(job, facts.now) };
  const step = stepToDo(job);
  const receipt: Receipt = {
    attempt_id,
    claim_id: facts.claim_id,
    event: "delivery_claim",
    lease_id: lease.lease_id,
    step,
    tokens_used: 0,
    ts: formatTime(facts.now),
    wake_checkpoint_fp: job.last_wake_checkpoint_fp ?? null,
    wake_checkpoint_sha256: job.last_wake_checkpoint_sha256 ?? null,
    worker_id: facts.worker_id,
  };
  const claimed: Job = {
    ...job,
    ...record(job, receipt),
    status: "LEASED",
    lease,
    unclaimed_count: 0,
    updated_at: formatTime(facts.now),
  };
  return { state: "CLAIMED", job: claimed, lease, step };
}

/** The step that an attempt works on: what the checkpoint's `step` becomes when it finishes; null where it is no integer. */
function stepToDo(job: Job): Json {
  try {
    return nextCheckpoint(job)["step"] ?? null;
  } catch (error) {
    if (error instanceof JobError) return null;
    throw error;
  }
}

/**
 * The checkpoint of a finish that gives none: the woken one with `step` raised by one (absent counts as 0), unless it
 * already satisfies `checkpoint_equals` on `step`. Throws JobError SCHEMA where `step` is not an integer.
 */
export function nextCheckpoint({ checkpoint, completion_predicate: predicate }: Job): JsonObject {
  const isOnStep = predicate.type === "checkpoint_equals" && (predicate.path ?? DEFAULT_PREDICATE_PATH) === "step";
  if (isOnStep && checkpointEquals(predicate, checkpoint)) return checkpoint;
  const step = Object.hasOwn(checkpoint, "step") ? checkpoint["step"] : 0;
  const value = plainNumber(numberText(step) ?? "");
  const isInteger = numberText(step) !== undefined && (typeof value === "bigint" || Number.isSafeInteger(value));
  if (!isInteger) {
    const found = JSON.stringify(step);
    throw new JobError("SCHEMA", `checkpoint.step is ${found}, not an integer that could be raised; give the whole checkpoint`, {
      field: "checkpoint.step",
    });
  }
  const raised = BigInt(value) + 1n;
  return { ...checkpoint, step: raised <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(raised) : JSON.rawJSON(`${raised}`) };
}
