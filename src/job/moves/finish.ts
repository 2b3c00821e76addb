import { sha256Of } from "../../json/fingerprint.ts";
import { isJsonObject, type Json, type JsonObject, numberText } from "../../json/json.ts";
import { fromPlain } from "../../json/plain-json.ts";
import { isSameJson } from "../../json/same-json.ts";
import type { PageState } from "../decide.ts";
import { requireCheckpointWithinLimits } from "../file/parse-job.ts";
import { isTerminal, type Job, type Receipt, type TerminalStatus } from "../job.ts";
import { checkpointEquals } from "../predicate.ts";
import { formatTime, normalizeTime, type Seconds } from "../time.ts";
import { record } from "./apply-change.ts";
import { nextCheckpoint } from "./claim.ts";
import { type ClaimProof, findClaim, isLatestOffer, isStillHeld, withTokens } from "./held-claim.ts";

/** What a claimant brings when its attempt is over. Checked by the caller; the checkpoint is as the harness gave it. */
export interface Outcome {
  readonly checkpoint?: Readonly<Record<string, unknown>>;
  readonly nextWakeAt?: string;
  readonly result?: Json;
  readonly resultAddress?: string;
}

export interface FinishFacts {
  readonly now: Seconds;
  readonly pages: ReadonlyMap<string, PageState>;
  readonly tokensUsed: number | undefined;
  /** sha256 of the call's outcome, by which a repeated call is known. */
  readonly outcome_sha256: string;
}

export type FinishRefusal = "NOT_DURABLE" | "STALE_ATTEMPT" | "ALREADY_FINISHED" | TerminalStatus;

export type FinishDecision =
  /** Find out about this page, then decide again. */
  | { readonly kind: "ask_page"; readonly address: string }
  | { readonly kind: "refused"; readonly state: FinishRefusal; readonly message: string }
  | Finished;

export interface Finished {
  readonly kind: "finished";
  readonly state: "CHECKPOINT" | "DONE";
  /** The moved job; absent for a repeated call. */
  readonly job?: Job;
  readonly step: Json;
  readonly next_wake_at: string;
}

/**
 * Decides what a claimant's finish does (contract §6): one write commits checkpoint and ACK, and DONE only where the page
 * stands. The same call again answers as the first did. Throws JobError SCHEMA for a checkpoint that JSON cannot hold.
 */
export function decideFinish(job: Job, proof: ClaimProof, outcome: Outcome, facts: FinishFacts): FinishDecision {
  const claim = findClaim(job, proof);
  if (claim === undefined) return stale("this attempt was never claimed with that claim_id by that worker");
  const ack = job.event_receipts.find((receipt) => receipt.event === "ack" && receipt["claim_id"] === proof.claim_id);
  if (ack !== undefined) return answerAgain(ack, facts);
  const isWeak = isWeakResult(outcome.result);
  if (wasCompletedMeanwhile(job, claim)) return isWeak ? WEAK : noteLateFinish(job, claim, facts);
  if (isTerminal(job.status))
    return { kind: "refused", state: job.status, message: `the job is ${job.status} meanwhile; nothing was changed` };
  if (!isStillHeld(job, claim)) return stale("the lease is no longer this claim's: the attempt was given up or offered again");

  if (isWeak) return WEAK;
  const checkpoint = checkpointOf(job, outcome);
  const address = outcome.resultAddress ?? job.result_address;
  if (address !== "") {
    const wantsDone = outcome.result !== undefined || checkpointEquals(job.completion_predicate, checkpoint);
    if (wantsDone || job.completion_predicate.type === "result_address_on_head") {
      const page = facts.pages.get(address);
      if (page === undefined) return { kind: "ask_page", address };
      if (page === "durable")
        return finished(
          withTokens(job, claim, facts.tokensUsed),
          claim,
          checkpoint,
          { address, result: outcome.result },
          outcome,
          facts,
        );
      if (wantsDone) {
        return {
          kind: "refused",
          state: "NOT_DURABLE",
          message: `the page of ${address} does not stand at git HEAD; commit and push it, then finish again while the lease stands`,
        };
      }
    }
  }
  return finished(withTokens(job, claim, facts.tokensUsed), claim, checkpoint, undefined, outcome, facts);
}

/** What a call amounts to, by value: a repeated call is known by it, however its numbers were written. */
export function outcomeSha256(outcome: Outcome): string {
  const { checkpoint, nextWakeAt, result, resultAddress } = outcome;
  return sha256Of({
    checkpoint: checkpoint === undefined ? null : byValue(checkpoint),
    next_wake_at: nextWakeAt === undefined ? null : normalizeTime(nextWakeAt),
    result: result === undefined ? null : [byValue(result)],
    result_address: resultAddress ?? null,
  });
}

function byValue(value: unknown): Json {
  if (typeof value === "number" && !Number.isFinite(value)) return `${value}`;
  const text = typeof value === "bigint" ? `${value}` : numberText(value);
  if (text !== undefined && /^-?\d+$/.test(text)) return JSON.rawJSON(`${BigInt(text)}`);
  // `1e400` counts as the Infinity that it is handed out as.
  if (text !== undefined) return Number.isFinite(Number(text)) ? Number(text) : `${Number(text)}`;
  if (Array.isArray(value)) return value.map(byValue);
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(
      Object.entries(value).flatMap(([key, entry]) => (entry === undefined ? [] : [[key, byValue(entry)]])),
    );
  }
  return typeof value === "string" || typeof value === "boolean" ? value : null;
}

function checkpointOf(job: Job, outcome: Outcome): JsonObject {
  if (outcome.checkpoint === undefined) return nextCheckpoint(job);
  const checkpoint = fromPlain(outcome.checkpoint, job.checkpoint, "checkpoint");
  if (!isJsonObject(checkpoint)) throw new TypeError("a checkpoint that was checked to be an object is one");
  requireCheckpointWithinLimits(checkpoint, "finish");
  return checkpoint;
}

interface Completion {
  readonly address: string;
  readonly result: Json | undefined;
}

function finished(
  job: Job,
  claim: Receipt,
  checkpoint: JsonObject,
  completion: Completion | undefined,
  outcome: Outcome,
  facts: FinishFacts,
): Finished {
  const ts = formatTime(facts.now);
  const { attempt_id } = claim;
  const worker_id = claim["worker_id"] ?? "";
  const state = completion === undefined ? "CHECKPOINT" : "DONE";
  const step = checkpoint["step"] ?? null;
  const next_wake_at = outcome.nextWakeAt === undefined ? ts : normalizeTime(outcome.nextWakeAt);
  const receipts: Receipt[] = [
    { attempt_id, event: "checkpoint", step, ts, worker_id },
    ackReceipt(claim, state, step, next_wake_at, facts),
  ];
  if (completion !== undefined)
    receipts.push({ attempt_id, event: "complete", result_address: completion.address, ts, worker_id });
  const moved: Job = {
    ...job,
    ...record(job, ...receipts),
    checkpoint,
    lease: null,
    in_backoff: false,
    updated_at: ts,
    ...(!isSameJson(checkpoint, job.checkpoint) && { no_progress_count: 0 }),
    ...(completion === undefined ? { status: "OPEN" as const, next_wake_at } : completedFields(completion, ts)),
  };
  return { kind: "finished", state, job: moved, step, next_wake_at };
}

/** How a job ends well: by an explicit completion whose page was verified. */
export function completedFields({ address, result }: Completion, ts: string): Partial<Job> {
  return {
    status: "DONE",
    lease: null,
    completed_at: ts,
    result_address: address,
    // A result of null was given, and is known again as the same; only none at all is its page.
    result: result === undefined ? { kind: "page" } : result,
  };
}

function ackReceipt(claim: Receipt, state: "CHECKPOINT" | "DONE", step: Json, next_wake_at: string, facts: FinishFacts): Receipt {
  return {
    attempt_id: claim.attempt_id,
    claim_id: claim["claim_id"] ?? "",
    event: "ack",
    next_wake_at,
    outcome_sha256: facts.outcome_sha256,
    state,
    step,
    ts: formatTime(facts.now),
    worker_id: claim["worker_id"] ?? "",
  };
}

function answerAgain(ack: Receipt, facts: FinishFacts): FinishDecision {
  if (ack["outcome_sha256"] !== facts.outcome_sha256) {
    return {
      kind: "refused",
      state: "ALREADY_FINISHED",
      message: "this attempt was finished with another outcome; that one stands",
    };
  }
  return {
    kind: "finished",
    state: ack["state"] === "DONE" ? "DONE" : "CHECKPOINT",
    step: ack["step"] ?? null,
    next_wake_at: String(ack["next_wake_at"]),
  };
}

/** A tick saw the page before its author finished: the author is right, and only its ACK and tokens are still to be noted. */
function noteLateFinish(job: Job, claim: Receipt, facts: FinishFacts): Finished {
  const step = job.checkpoint["step"] ?? null;
  const noted = withTokens(job, claim, facts.tokensUsed);
  return {
    kind: "finished",
    state: "DONE",
    job: { ...noted, ...record(noted, ackReceipt(claim, "DONE", step, job.next_wake_at, facts)) },
    step,
    next_wake_at: job.next_wake_at,
  };
}

/** Whether a tick completed the job while the claimant had neither finished nor given up. */
function wasCompletedMeanwhile(job: Job, claim: Receipt): boolean {
  const happened = (event: string): boolean => job.event_receipts.some((receipt) => receipt.event === event);
  const hasGivenUp = job.event_receipts.some(
    (receipt) => receipt.event === "failed" && receipt["claim_id"] === claim["claim_id"],
  );
  return job.status === "DONE" && happened("auto_complete") && isLatestOffer(job, claim) && !hasGivenUp;
}

const WEAK: FinishDecision = {
  kind: "refused",
  state: "NOT_DURABLE",
  message: "a result that was claimed, sent, accepted or answered 2xx is not a page; finish when the page stands",
};

function stale(message: string): FinishDecision {
  return { kind: "refused", state: "STALE_ATTEMPT", message };
}

const WEAK_RESULTS: readonly string[] = ["claimed", "sent", "propen", "accepted", "2xx", "carrier2xx"];

/**
 * Whether a result only says that something was handed over. In any spelling: "PR-open", "carrier_2xx", "HTTP 201"
 * (contract §6).
 */
export function isWeakResult(result: Json | undefined): boolean {
  if (!isJsonObject(result)) return false;
  return [result["kind"], result["status"]].some((value) => {
    const word = numberText(value) ?? value;
    // An object is no spelling of a word, and one with a `toString` of its own cannot even be asked for one.
    if (typeof word !== "string") return false;
    const folded = word
      .normalize("NFKC")
      .toLowerCase()
      .replace(/[^a-z0-9]/g, "");
    return WEAK_RESULTS.includes(folded) || /^(?:carrier|http)?2\d\d$/.test(folded);
  });
}
