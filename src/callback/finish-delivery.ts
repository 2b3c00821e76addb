import { JobError } from "../errors/job-error.ts";
import { type Answer, type Fleet, refusal } from "../fleet.ts";
import type { PageState } from "../job/decide.ts";
import { isJobId } from "../job/file/schema.ts";
import { CHECKPOINT_DEPTH_MAX } from "../job/limits.ts";
import { decideFinish, type FinishDecision, type Outcome, outcomeSha256 } from "../job/moves/finish.ts";
import { parseTime } from "../job/time.ts";
import { isDeeperThan, type Json } from "../json/json.ts";
import { fromPlain } from "../json/plain-json.ts";
import { CONFLICT_TRIES, type Step } from "../store/job-store.ts";
import type { Caller } from "./caller.ts";
import { type ClaimRef, claimStep, requireProof, requireTokens } from "./claim-step.ts";

export interface FinishOptions extends Caller {
  /** The new checkpoint; without one, the woken one with its `step` raised by one. */
  readonly checkpoint?: Readonly<Record<string, unknown>>;
  /** This attempt's own total. */
  readonly tokensUsed?: number;
  /** When the next attempt may start; default now. */
  readonly nextWakeAt?: string;
  /** Given, the work is over: DONE, provided that its page stands. */
  readonly result?: unknown;
  /** Where the result's page stands, in place of the job's own address. */
  readonly resultAddress?: string;
}

export interface FinishAnswer extends Answer {
  readonly state: "CHECKPOINT" | "DONE";
  readonly step: Json;
  readonly next_wake_at: string;
}

/**
 * Ends a claimed attempt (contract §6): one write commits checkpoint and ACK. Answers CHECKPOINT; or DONE, only where the
 * page stands at git HEAD; or NOT_DURABLE, which changes nothing and leaves the lease, so that the page can be pushed and
 * the call made again. The same call again answers as the first did, with `replay: true`. Throws JobError SCHEMA for an
 * outcome that a job cannot hold, TRUTH_UNAVAILABLE where git cannot say whether the page stands.
 */
export async function finishDelivery(fleet: Fleet, claim: ClaimRef, options: FinishOptions): Promise<FinishAnswer | Answer> {
  const proof = requireProof(claim, options);
  requireTokens(options.tokensUsed);
  const outcome = requireOutcome(options);
  const outcome_sha256 = outcomeSha256(outcome);
  const pages = new Map<string, PageState>();
  for (let tries = 0; tries < CONFLICT_TRIES; tries++) {
    const answer = await claimStep<FinishAnswer, AskPage>(fleet, proof, options, (job) => {
      const facts = { now: fleet.clock.now(), pages, tokensUsed: options.tokensUsed, outcome_sha256 };
      return stepOf(decideFinish(job, proof, outcome, facts), claim, outcome);
    });
    if (!("askPage" in answer)) return answer;
    // Asked anew in each call: the page may have been pushed a moment ago.
    for (const [address, state] of await (await fleet.pages.atHead()).states([answer.askPage])) pages.set(address, state);
  }
  throw new JobError(
    "CONFLICT",
    `${proof.job_id}: its address kept changing under the page check. Nothing was changed; finish again`,
  );
}

interface AskPage {
  readonly askPage: string;
}

/** A result is of no use without a page to show it on, and dropping it in silence would hide that. */
const RESULT_NOT_TAKEN =
  "the result was not taken: the job has no result_address, so no page can show it. Give resultAddress, or set one by update";

function stepOf(
  decision: FinishDecision,
  { job_id, attempt_id }: ClaimRef,
  outcome: Outcome,
): Step<FinishAnswer | Answer | AskPage> {
  switch (decision.kind) {
    case "ask_page":
      return { answer: { askPage: decision.address } };
    case "refused":
      return { answer: { ...refusal(decision.state, job_id, decision.message), attempt_id } };
    case "finished": {
      const { state, job, step, next_wake_at } = decision;
      const note = state === "CHECKPOINT" && outcome.result !== undefined ? { message: RESULT_NOT_TAKEN } : {};
      const answer: FinishAnswer = { ok: true, state, invoke_model: false, job_id, attempt_id, step, next_wake_at, ...note };
      return job === undefined
        ? { answer: { ...answer, replay: true } }
        : { answer, write: { job, note: `${state} ${attempt_id}` } };
    }
  }
}

/** Throws JobError SCHEMA for what a job could not hold. */
function requireOutcome({ checkpoint, nextWakeAt, result, resultAddress }: FinishOptions): Outcome {
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
  return {
    ...(checkpoint !== undefined && { checkpoint }),
    ...(nextWakeAt !== undefined && { nextWakeAt }),
    ...(result !== undefined && { result: fromPlain(result, undefined, "result") }),
    ...(resultAddress !== undefined && { resultAddress }),
  };
}
