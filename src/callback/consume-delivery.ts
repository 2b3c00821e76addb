import { type Answer, type Held, heldAnswer } from "../answer.ts";
import { JobError } from "../errors/job-error.ts";
import { type Decided, decideOne, type Fleet } from "../fleet.ts";
import { rulesInForce } from "../holds/holds.ts";
import type { CompletionPredicate, Job, Lease } from "../job/job.ts";
import { type ClaimDecision, type ClaimRefusal, decideClaim } from "../job/moves/claim.ts";
import type { Json, JsonObject } from "../json/json.ts";
import { type PlainJson, toPlain, toPlainObject } from "../json/plain-json.ts";
import { parseMail } from "../mail/wake-mail.ts";
import { type Caller, holdOver, requireCaller } from "./caller.ts";

export interface ConsumeOptions extends Caller {
  /**
   * The claim's own id, drawn by the caller before the call (64 random bits or more): the same call again is then CLAIMED
   * with `replay: true` where its first answer was lost. Default: a fresh one.
   */
  readonly claimId?: string;
}

/** A claim: the attempt is this worker's, and it may run a model once. */
export interface Claimed<Checkpoint, Value> extends Answer {
  readonly ok: true;
  readonly state: "CLAIMED";
  readonly invoke_model: true;
  readonly attempt_id: string;
  readonly claim_id: string;
  /** The step to do: what the checkpoint's `step` becomes when the attempt finishes without giving one. */
  readonly step: Value;
  readonly lease: Lease;
  /** How long the lease, and each renewal of it, lasts. */
  readonly lease_seconds: number;
  readonly checkpoint: Checkpoint;
  readonly objective: string;
  /** The prompt. */
  readonly instructions: string;
  /** RFC 3339. */
  readonly deadline: string;
  readonly tokens_left: number;
  /** When the job is done, and where its page belongs: `""` for a job without one. */
  readonly completion_predicate: CompletionPredicate;
  readonly result_address: string;
}

export type ConsumeRefusal = ClaimRefusal | "NO_MAIL" | "NOT_FOUND";

export interface NotClaimed extends Answer {
  readonly state: ConsumeRefusal;
  readonly invoke_model: false;
  readonly message: string;
}

export type ConsumeAnswer = Claimed<{ readonly [key: string]: PlainJson }, PlainJson> | NotClaimed | Held;

/**
 * Takes the attempt that a mail offers (contract §6). Whatever the number of harnesses that consume one mail, on any
 * threads, processes and machines of the store, exactly one is answered CLAIMED; only that one may run a model.
 * Hostile input is NO_MAIL. Throws JobError SCHEMA for a bad caller, and for a store that fails.
 */
export async function consumeDelivery(fleet: Fleet, mail: unknown, options: ConsumeOptions): Promise<ConsumeAnswer> {
  const answer = await claimAttempt(fleet, mail, options);
  if (!answer.invoke_model) return answer;
  return { ...answer, step: toPlain(answer.step), checkpoint: toPlainObject(answer.checkpoint) };
}

/** What {@link claimAttempt} answers. */
export type ClaimAnswer = Claimed<JsonObject, Json> | NotClaimed | Held;

/** {@link consumeDelivery} with numbers as the file has them, for a harness that is handed JSON text. */
export async function claimAttempt(fleet: Fleet, input: unknown, options: ConsumeOptions): Promise<ClaimAnswer> {
  requireCaller(options);
  const claim_id = options.claimId === undefined ? fleet.ids.claimId() : requireClaimId(options.claimId);
  const mail = parseMail(input);
  if (mail === undefined) return no("NO_MAIL", "", undefined);
  const { job_id, attempt_id } = mail;
  const rules = await rulesInForce(fleet);
  return decideOne(fleet, job_id, ({ job }): Decided<ClaimAnswer> => {
    if (job === undefined) return { answer: no("NOT_FOUND", job_id, attempt_id) };
    const hold = holdOver(rules, options, [job.harness, mail.harness]);
    if (hold !== undefined) return { answer: heldAnswer(hold, job_id, attempt_id) };
    // The time of the claim's turn, not of the call: waiting for it, the lease or the deadline may have gone by.
    const decision = decideClaim(job, attempt_id, { now: fleet.clock.now(), worker_id: options.workerId, claim_id });
    if (decision.state !== "CLAIMED") return { answer: no(decision.state, job_id, attempt_id) };
    const answer = claimedAnswer(decision, attempt_id, claim_id);
    return decision.replay ? { answer } : { answer, write: { job: decision.job, note: `CLAIMED ${attempt_id}` } };
  });
}

/** Eleven characters of base64 hold 64 bits; a shorter id is no random one. */
const CLAIM_ID = /^[A-Za-z0-9_-]{11,200}$/;

function requireClaimId(claimId: string): string {
  if (typeof claimId === "string" && CLAIM_ID.test(claimId)) return claimId;
  const message =
    "claimId must be 11 to 200 letters, digits, dashes or underscores: 64 random bits or more, drawn anew for each claim";
  throw new JobError("SCHEMA", message, { field: "claimId" });
}

function claimedAnswer(
  { job, lease, step, replay }: Extract<ClaimDecision, { state: "CLAIMED" }>,
  attempt_id: string,
  claim_id: string,
): Claimed<JsonObject, Json> {
  return {
    ok: true,
    state: "CLAIMED",
    invoke_model: true,
    job_id: job.job_id,
    attempt_id,
    claim_id,
    ...(replay && { replay }),
    step,
    lease,
    lease_seconds: job.lease_seconds,
    checkpoint: job.checkpoint,
    objective: job.objective,
    instructions: job.instructions,
    deadline: job.deadline,
    tokens_left: tokensLeft(job),
    completion_predicate: job.completion_predicate,
    result_address: job.result_address,
  };
}

function tokensLeft({ budget_tokens, tokens_used }: Job): number {
  return budget_tokens - tokens_used;
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
} as const satisfies Record<ConsumeRefusal, string>;

function no(state: ConsumeRefusal, job_id: string, attempt_id: string | undefined): NotClaimed {
  // A replay is what exactly-once looks like to the others: nothing is wrong.
  return { ok: state === "REPLAY", state, invoke_model: false, job_id, message: WHY_NOT[state], attempt_id };
}
