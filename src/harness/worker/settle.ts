import type { Answer } from "../../answer.ts";
import type { ClaimRef } from "../../callback/decide-on-claim.ts";
import { failDelivery } from "../../callback/fail-delivery.ts";
import { finishDelivery } from "../../callback/finish-delivery.ts";
import { JobError } from "../../errors/job-error.ts";
import type { Fleet } from "../../fleet.ts";
import { DETAIL_CHARACTERS_MAX } from "../../job/limits.ts";
import type { SettledRun, Settlement } from "./settlement.ts";

export interface Claimant {
  readonly workerId: string;
  readonly harness: string;
}

/** Refusals that leave the attempt with this claim. The outcome did not end it, so it is failed with the refusal as the reason. */
const STILL_OURS: readonly string[] = ["NOT_DURABLE", "PREDICATE"];

/**
 * Tells the store what a run came to (contract §6). Whatever the store answers is the end of it: taken, or another's by now.
 * An outcome that the store cannot take fails the attempt with the reason. Throws JobError where the store cannot be asked.
 */
export async function settle(fleet: Fleet, claim: ClaimRef, by: Claimant, run: SettledRun): Promise<Answer> {
  const caller = { ...by, ...run.usage };
  const { settlement } = run;
  switch (settlement.kind) {
    case "fail":
      return giveUp(fleet, claim, caller, settlement.detail);
    case "step":
      return finishAsStep(fleet, claim, caller, settlement);
    case "finish":
      return orGiveUp(fleet, claim, caller, () => finishDelivery(fleet, claim, { ...caller, ...settlement.outcome }));
  }
}

type Caller = Claimant & SettledRun["usage"];
type Step = Extract<Settlement, { readonly kind: "step" }>;

/** With its page the job is over; without it the run was one step of more. */
async function finishAsStep(fleet: Fleet, claim: ClaimRef, caller: Caller, { checkpoint }: Step): Promise<Answer> {
  const moved = checkpoint === undefined ? caller : { ...caller, checkpoint };
  const answer = await finishDelivery(fleet, claim, { ...moved, result: { kind: "page" } });
  if (!STILL_OURS.includes(answer.state)) return answer;
  return orGiveUp(fleet, claim, caller, () => finishDelivery(fleet, claim, moved));
}

async function orGiveUp(fleet: Fleet, claim: ClaimRef, caller: Caller, finish: () => Promise<Answer>): Promise<Answer> {
  const why = await whyNotTaken(finish);
  return typeof why === "string" ? giveUp(fleet, claim, caller, why) : why;
}

/** The answer says why, for whoever reads what the worker tells. */
async function giveUp(fleet: Fleet, claim: ClaimRef, caller: Caller, why: string): Promise<Answer> {
  const detail = why.slice(0, DETAIL_CHARACTERS_MAX);
  const answer = await failDelivery(fleet, claim, { ...caller, detail });
  return answer.state === "FAILED" ? { ...answer, message: detail } : answer;
}

/** The store's answer; or why the attempt cannot end with this outcome. */
async function whyNotTaken(finish: () => Promise<Answer>): Promise<Answer | string> {
  try {
    const answer = await finish();
    return STILL_OURS.includes(answer.state) ? `${answer.state}: ${answer.message}` : answer;
  } catch (error) {
    if (error instanceof JobError && (error.code === "SCHEMA" || error.code === "TOO_LARGE")) return error.message;
    throw error;
  }
}
