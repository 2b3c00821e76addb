import type { JsonObject } from "../../json/json.ts";
import { blockerOf } from "../blocker.ts";
import { isTerminal, type Job } from "../job.ts";
import { checkpointEquals } from "../predicate.ts";
import { isEvent, type StoredReceipt, type WrittenReceipt } from "../receipt.ts";
import { formatTime, normalizeTime } from "../time.ts";
import { ackReceipt } from "./ack.ts";
import { type ClaimProof, type ClaimReceipt, findClaim, hasAuthority, isOfClaim } from "./authority.ts";
import { type Completion, completedFields } from "./completion.ts";
import { givenCheckpoint, movedTo, restingStatus } from "./ended-attempt.ts";
import type { FinishDecision, Finished, FinishFacts, FinishRefusal } from "./finish-decision.ts";
import { lateFinish, wasCompletedMeanwhile } from "./late-finish.ts";
import { nextCheckpoint } from "./next-checkpoint.ts";
import type { Outcome } from "./outcome.ts";
import { record } from "./record.ts";
import { withReport } from "./report.ts";
import { isWeakResult } from "./weak-result.ts";

/**
 * Decides what a claimant's finish does (contract §6): one write commits checkpoint and ACK, and DONE only where the page
 * stands. The same call again answers as the first did. Throws JobError SCHEMA for a checkpoint that JSON cannot hold.
 */
export function decideFinish(job: Job, proof: ClaimProof, outcome: Outcome, facts: FinishFacts): FinishDecision {
  const before = findClaim(job, proof);
  if (before === undefined) return stale(job, "this attempt was never claimed with that claim_id by that worker");
  const ack = job.event_receipts.find((receipt) => isEvent(receipt, "ack") && isOfClaim(receipt, proof));
  if (isTerminal(job.status) && ack === undefined) {
    if (wasCompletedMeanwhile(job, before)) return lateFinish(job, before, outcome, facts);
    return refused(job, job.status, `the job is ${job.status} meanwhile; nothing was changed`);
  }
  const counted = isTerminal(job.status) ? job : withReport(job, before, facts.report);
  if (ack !== undefined && isEvent(ack, "ack")) return answerAgain(counted, ack, facts);
  const claim = findClaim(counted, proof) ?? before;
  if (!hasAuthority(counted, claim)) {
    return stale(counted, "the attempt is no longer this claim's: it ended, or was offered again");
  }
  if (isWeakResult(outcome.result)) return refused(counted, "NOT_DURABLE", WEAK);
  if (outcome.blocker !== undefined) return blocked(counted, claim, outcome, outcome.blocker, facts);
  const checkpoint = outcome.checkpoint === undefined ? nextCheckpoint(counted) : givenCheckpoint(counted, outcome.checkpoint);
  return outcome.result === undefined
    ? finishedByPredicate(counted, claim, checkpoint, outcome, facts)
    : finishedByResult(counted, claim, checkpoint, outcome, facts);
}

const WEAK = "a result that was claimed, sent, accepted or answered 2xx is not a page; finish when the page stands";

/** With a result the work is over, or the call is refused. */
function finishedByResult(
  job: Job,
  claim: ClaimReceipt,
  checkpoint: JsonObject,
  outcome: Outcome,
  facts: FinishFacts,
): FinishDecision {
  const address = outcome.resultAddress ?? job.result_address;
  if (address === "") {
    return refused(
      job,
      "NOT_DURABLE",
      "the job has no result_address, so no page can show the result; give one, or update the job",
    );
  }
  const predicate = job.completion_predicate;
  if (predicate.type === "checkpoint_equals" && !checkpointEquals(predicate, checkpoint)) {
    const where = predicate.path ?? "step";
    return refused(
      job,
      "PREDICATE",
      `a result ends this job only where its checkpoint's ${where} is ${JSON.stringify(predicate.value)}`,
    );
  }
  const page = facts.pages.get(address);
  switch (page) {
    case undefined:
      return { kind: "ask_page", address };
    case "unknown":
      return { kind: "cannot_tell", address };
    case "absent":
      return refused(job, "NOT_DURABLE", noPage(address));
    case "durable":
      return finished(job, claim, checkpoint, outcome, facts, { address, result: outcome.result });
  }
}

/** Without a result the predicate says whether the work is over; where nobody can tell, the next tick completes it. */
function finishedByPredicate(
  job: Job,
  claim: ClaimReceipt,
  checkpoint: JsonObject,
  outcome: Outcome,
  facts: FinishFacts,
): FinishDecision {
  const address = outcome.resultAddress ?? job.result_address;
  const isMet = checkpointEquals(job.completion_predicate, checkpoint);
  const asksPage = isMet || job.completion_predicate.type === "result_address_on_head";
  if (address === "" || !asksPage) return finished(job, claim, checkpoint, outcome, facts);
  const page = facts.pages.get(address);
  switch (page) {
    case undefined:
      return { kind: "ask_page", address };
    case "unknown":
      return finished(job, claim, checkpoint, outcome, facts);
    case "absent":
      return isMet ? refused(job, "NOT_DURABLE", noPage(address)) : finished(job, claim, checkpoint, outcome, facts);
    case "durable":
      return finished(job, claim, checkpoint, outcome, facts, { address, result: undefined });
  }
}

function noPage(address: string): string {
  return `the page of ${address} does not stand at git HEAD; commit and push it, then finish again while the lease stands`;
}

/** The harness cannot go on: never terminal, and a checkpoint that it does not give stays. */
function blocked(
  job: Job,
  claim: ClaimReceipt,
  outcome: Outcome,
  { kind, detail }: NonNullable<Outcome["blocker"]>,
  facts: FinishFacts,
): Finished {
  const blocker = blockerOf(kind, detail);
  const met = { ...job, blocker, last_blocker_fingerprint: blocker.fingerprint };
  const checkpoint = outcome.checkpoint === undefined ? job.checkpoint : givenCheckpoint(job, outcome.checkpoint);
  return finished(met, claim, checkpoint, outcome, facts);
}

function finished(
  job: Job,
  claim: ClaimReceipt,
  checkpoint: JsonObject,
  outcome: Outcome,
  facts: FinishFacts,
  completion?: Completion,
): Finished {
  const ts = formatTime(facts.now);
  const { attempt_id } = claim;
  const worker_id = String(claim.worker_id);
  const state = completion === undefined ? "CHECKPOINT" : "DONE";
  const step = checkpoint["step"] ?? null;
  const next_wake_at = outcome.nextWakeAt === undefined ? ts : normalizeTime(outcome.nextWakeAt);
  const receipts: WrittenReceipt[] = [
    { attempt_id, event: "checkpoint", step, ts, worker_id },
    ackReceipt(claim, state, step, next_wake_at, facts),
  ];
  if (completion !== undefined) {
    receipts.push({ attempt_id, event: "complete", result_address: completion.address, ts, worker_id });
  }
  const moved: Job = {
    ...job,
    ...record(job, ...receipts),
    ...movedTo(job, checkpoint),
    lease: null,
    in_backoff: false,
    updated_at: ts,
    ...(completion === undefined ? { status: restingStatus(job), next_wake_at } : completedFields(completion, ts)),
  };
  return { kind: "finished", state, replay: false, job: moved, step, next_wake_at };
}

function answerAgain(job: Job, ack: StoredReceipt<"ack">, facts: FinishFacts): FinishDecision {
  if (ack.outcome_sha256 !== facts.outcome_sha256) {
    return refused(job, "ALREADY_FINISHED", "this attempt was finished with another outcome; that one stands");
  }
  return {
    kind: "finished",
    state: ack.state === "DONE" ? "DONE" : "CHECKPOINT",
    replay: true,
    job,
    step: ack.step ?? null,
    next_wake_at: String(ack.next_wake_at),
  };
}

function refused(job: Job, state: FinishRefusal, message: string): FinishDecision {
  return { kind: "refused", state, message, job };
}

function stale(job: Job, message: string): FinishDecision {
  return refused(job, "STALE_ATTEMPT", message);
}
