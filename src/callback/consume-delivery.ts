import { type Answer, type Fleet, refusal } from "../fleet.ts";
import { rulesInForce } from "../holds/holds.ts";
import type { Job, Lease } from "../job/job.ts";
import { type ClaimRefusal, decideClaim } from "../job/moves/claim.ts";
import type { Json, JsonObject } from "../json/json.ts";
import { type PlainJson, toPlain, toPlainObject } from "../json/plain-json.ts";
import { parseMail } from "../mail/wake-mail.ts";
import { type Step, transactOne } from "../store/job-store.ts";
import { type Caller, heldAnswer, holdOver, requireCaller } from "./caller.ts";

/** A fresh claim: the attempt is this worker's, and it may run a model once. */
export interface Claimed<Checkpoint, Value> extends Answer {
  readonly ok: true;
  readonly state: "CLAIMED";
  readonly invoke_model: true;
  readonly attempt_id: string;
  readonly claim_id: string;
  /** The step to do: what the checkpoint's `step` becomes when the attempt finishes without giving one. */
  readonly step: Value;
  readonly lease: Lease;
  readonly checkpoint: Checkpoint;
  readonly objective: string;
  readonly deadline: string;
  readonly tokens_left: number;
}

export interface NotClaimed extends Answer {
  readonly invoke_model: false;
}

export type ConsumeAnswer = Claimed<{ readonly [key: string]: PlainJson }, PlainJson> | NotClaimed;

/**
 * Takes the attempt that a mail offers (contract §6). Whatever the number of harnesses that consume one mail, on any
 * threads, processes and machines of the store, exactly one is answered CLAIMED; only that one may run a model.
 * Hostile input is NO_MAIL. Throws JobError SCHEMA for a bad caller, and for a store that fails.
 */
export async function consumeDelivery(fleet: Fleet, mail: unknown, caller: Caller): Promise<ConsumeAnswer> {
  const answer = await claimAttempt(fleet, mail, caller);
  if (!answer.invoke_model) return answer;
  return { ...answer, step: toPlain(answer.step), checkpoint: toPlainObject(answer.checkpoint) };
}

/** {@link consumeDelivery} with numbers as the file has them, for a harness that is handed JSON text. */
export async function claimAttempt(
  fleet: Fleet,
  input: unknown,
  caller: Caller,
): Promise<Claimed<JsonObject, Json> | NotClaimed> {
  requireCaller(caller);
  const mail = parseMail(input);
  if (mail === undefined) return no("NO_MAIL", "", undefined);
  const { job_id, attempt_id } = mail;
  const claim_id = fleet.ids.claimId();
  const rules = await rulesInForce(fleet);
  return transactOne(fleet.store, job_id, ({ job }): Step<Claimed<JsonObject, Json> | NotClaimed> => {
    if (job === undefined) return { answer: no("NOT_FOUND", job_id, attempt_id) };
    const hold = holdOver(rules, caller, [job.harness, mail.harness]);
    if (hold !== undefined) return { answer: { ...heldAnswer(hold, job_id, attempt_id), invoke_model: false } };
    // The time of the claim's turn, not of the call: waiting for it, the lease or the deadline may have gone by.
    const decision = decideClaim(job, attempt_id, { now: fleet.clock.now(), worker_id: caller.workerId, claim_id });
    if (decision.state !== "CLAIMED") return { answer: no(decision.state, job_id, attempt_id) };
    return {
      answer: claimedAnswer(decision.job, attempt_id, claim_id, decision.step, decision.lease),
      write: { job: decision.job, note: `CLAIMED ${attempt_id}` },
    };
  });
}

function claimedAnswer(job: Job, attempt_id: string, claim_id: string, step: Json, lease: Lease): Claimed<JsonObject, Json> {
  return {
    ok: true,
    state: "CLAIMED",
    invoke_model: true,
    job_id: job.job_id,
    attempt_id,
    claim_id,
    step,
    lease,
    checkpoint: job.checkpoint,
    objective: job.objective,
    deadline: job.deadline,
    tokens_left: job.budget_tokens - job.tokens_used,
  };
}

const WHY_NOT = {
  NO_MAIL: "this is not a mail of harness-wake's",
  NOT_FOUND: "there is no such job",
  REPLAY: "this attempt was claimed already; whoever claimed it is at work",
  DONE: "the job is done",
  CANCELLED: "the job is cancelled",
  EXHAUSTED: "the job is exhausted",
  STALE_ATTEMPT: "this is not the latest offer: its lease is over, or another attempt or checkpoint took its place",
  DEADLINE: "the job's deadline is over",
  BUDGET: "the job's tokens are used up",
  BLOCKED: "the job is blocked",
} as const satisfies Record<ClaimRefusal | "NO_MAIL" | "NOT_FOUND", string>;

function no(state: keyof typeof WHY_NOT, job_id: string, attempt_id: string | undefined): NotClaimed {
  // A replay is what exactly-once looks like to the others: nothing is wrong.
  return { ...refusal(state, job_id, WHY_NOT[state]), ok: state === "REPLAY", invoke_model: false, attempt_id };
}
