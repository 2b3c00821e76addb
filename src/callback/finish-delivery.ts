import { type Applied, applied, type Held, type Refused, refusal } from "../answer.ts";
import { JobError } from "../errors/job-error.ts";
import type { Decided, Fleet } from "../fleet.ts";
import { BLOCKER_KINDS, type BlockerKind, type Job } from "../job/job.ts";
import { isJobId } from "../job/job-id.ts";
import { CHECKPOINT_DEPTH_MAX, DETAIL_CHARACTERS_MAX } from "../job/limits.ts";
import { decideFinish } from "../job/moves/finish.ts";
import type { FinishDecision, FinishRefusal } from "../job/moves/finish-decision.ts";
import { type Outcome, outcomeSha256 } from "../job/moves/outcome.ts";
import { parseTime } from "../job/time.ts";
import { isDeeperThan, type Json } from "../json/json.ts";
import { fromPlain } from "../json/plain-json.ts";
import { writeIfMoved } from "../store/job-store.ts";
import type { Caller } from "./caller.ts";
import { type ClaimRef, decideOnClaim, requireProof, type Usage } from "./decide-on-claim.ts";

export interface FinishOptions extends Caller, Usage {
  /** The new checkpoint; without one, the woken one with its `step` raised by one, which counts as progress. */
  readonly checkpoint?: Readonly<Record<string, unknown>>;
  /** When the next attempt may start, RFC 3339; default now. */
  readonly nextWakeAt?: string;
  /** Given, the work is over: DONE, provided that its page stands. */
  readonly result?: unknown;
  /** Where the result's page stands, in place of the job's own address. */
  readonly resultAddress?: string;
  /** What the harness cannot get past by itself: the job is BLOCKED until its owner unblocks it. Never with a result. */
  readonly blocker?: { readonly kind: BlockerKind; readonly detail: string };
}

export interface Finished extends Applied<"CHECKPOINT" | "DONE"> {
  readonly step: Json;
  readonly next_wake_at: string;
}

export type FinishAnswer = Finished | Refused<FinishRefusal | "NOT_FOUND"> | Held;

/**
 * Ends a claimed attempt (contract §6): one write commits checkpoint and ACK. Answers CHECKPOINT; or DONE, only where the
 * page stands at git HEAD; or NOT_DURABLE or PREDICATE, which leave the lease, so that the page can be pushed and the call
 * made again. The same call again answers as the first did, with `replay: true`. Throws JobError SCHEMA for an outcome that
 * a job cannot hold, TRUTH_UNAVAILABLE where a result hangs on a page that git cannot tell.
 */
export async function finishDelivery(fleet: Fleet, claim: ClaimRef, options: FinishOptions): Promise<FinishAnswer> {
  const proof = requireProof(claim, options);
  const outcome = requireOutcome(options);
  const outcome_sha256 = outcomeSha256(outcome);
  return decideOnClaim<Finished | Refused<FinishRefusal>>(fleet, proof, options, (job, pages) => {
    const facts = { now: fleet.clock.now(), pages, report: options, outcome_sha256 };
    return decidedBy(decideFinish(job, proof, outcome, facts), job, proof);
  });
}

function decidedBy(
  decision: FinishDecision,
  before: Job,
  { job_id, attempt_id }: ClaimRef,
): Decided<Finished | Refused<FinishRefusal>> {
  switch (decision.kind) {
    case "ask_page":
      return { askPage: decision.address };
    case "cannot_tell": {
      const message = `${job_id}: git cannot say whether the page of ${decision.address} stands, and the result hangs on it. Nothing was changed; finish again`;
      throw new JobError("TRUTH_UNAVAILABLE", message);
    }
    case "refused": {
      const { state, message, job } = decision;
      const answer = { ...refusal(state, job_id, message), attempt_id };
      return { answer, ...writeIfMoved(before, job, `${state} ${attempt_id}`) };
    }
    case "finished": {
      const { state, job, step, next_wake_at, replay, message } = decision;
      const answer: Finished = {
        ...applied(state, job_id, attempt_id),
        step,
        next_wake_at,
        ...(replay && { replay }),
        ...(message !== undefined && { message }),
      };
      return { answer, ...writeIfMoved(before, job, `${state} ${attempt_id}`) };
    }
  }
}

/** Throws JobError SCHEMA for what a job could not hold. */
function requireOutcome({ checkpoint, nextWakeAt, result, resultAddress, blocker }: FinishOptions): Outcome {
  if (checkpoint !== undefined && (typeof checkpoint !== "object" || checkpoint === null || Array.isArray(checkpoint))) {
    throw new JobError("SCHEMA", "checkpoint must be an object", { field: "checkpoint" });
  }
  // Before anything walks it: one that holds itself has no end.
  if (isDeeperThan(checkpoint, CHECKPOINT_DEPTH_MAX)) {
    const message = `checkpoint nests deeper than ${CHECKPOINT_DEPTH_MAX} levels; flatten it`;
    throw new JobError("SCHEMA", message, { field: "checkpoint" });
  }
  if (nextWakeAt !== undefined && parseTime(nextWakeAt) === undefined) {
    throw new JobError("SCHEMA", `nextWakeAt is "${nextWakeAt}"; it must be a time that exists`, { field: "nextWakeAt" });
  }
  if (resultAddress !== undefined && !isJobId(resultAddress)) {
    throw new JobError("SCHEMA", "resultAddress must be the id of a page, formed like a job_id", { field: "resultAddress" });
  }
  if (blocker !== undefined && result !== undefined) {
    throw new JobError("SCHEMA", "a result ends the job and a blocker stops it; give one of the two", { field: "blocker" });
  }
  return {
    ...(checkpoint !== undefined && { checkpoint }),
    ...(nextWakeAt !== undefined && { nextWakeAt }),
    ...(result !== undefined && { result: fromPlain(result, undefined, "result") }),
    ...(resultAddress !== undefined && { resultAddress }),
    ...(blocker !== undefined && { blocker: requireBlocker(blocker) }),
  };
}

function requireBlocker({ kind, detail }: NonNullable<FinishOptions["blocker"]>): NonNullable<Outcome["blocker"]> {
  if (!BLOCKER_KINDS.includes(kind)) {
    throw new JobError("SCHEMA", `blocker.kind must be ${BLOCKER_KINDS.join(" or ")}`, { field: "blocker.kind" });
  }
  if (typeof detail !== "string" || detail === "" || detail.length > DETAIL_CHARACTERS_MAX) {
    const message = `blocker.detail must be text of 1 to ${DETAIL_CHARACTERS_MAX} characters: what has to happen`;
    throw new JobError("SCHEMA", message, { field: "blocker.detail" });
  }
  return { kind, detail };
}
