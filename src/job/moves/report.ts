import { numberText } from "../../json/json.ts";
import { plainNumber } from "../../json/number-value.ts";
import type { Job } from "../job.ts";
import { isEvent } from "../receipt.ts";
import { type ClaimReceipt, isOfClaim } from "./authority.ts";

/** What a claimant has used so far, each this attempt's own total. */
export interface Report {
  readonly tokensUsed?: number | undefined;
  /** US dollars; absent where unknown, never 0. */
  readonly costUsd?: number | undefined;
}

/**
 * Notes what a known claim reports (contract §6): the claim's receipt keeps its greatest report, and the job's tokens_used
 * is the sum over its attempts, so repeated, late and smaller reports count nothing twice. Gives the job itself where the
 * report says nothing new.
 */
export function withReport(job: Job, claim: ClaimReceipt, { tokensUsed = 0, costUsd = 0 }: Report): Job {
  const tokens = Math.max(numberIn(claim.tokens_used), tokensUsed);
  const cost = Math.max(numberIn(claim.cost_usd), costUsd);
  const newTokens = tokens - numberIn(claim.tokens_used);
  if (newTokens === 0 && cost === numberIn(claim.cost_usd)) return job;
  const noted = { ...claim, tokens_used: tokens, ...(cost > 0 && { cost_usd: cost }) };
  return {
    ...withClaim(job, claim, noted),
    tokens_used: Math.min(job.tokens_used + newTokens, Number.MAX_SAFE_INTEGER),
  };
}

/** The job with its claim's receipt replaced, in its place. */
export function withClaim(job: Job, claim: ClaimReceipt, noted: ClaimReceipt): Job {
  const index = job.event_receipts.findIndex((receipt) => isEvent(receipt, "delivery_claim") && isOfClaim(receipt, claim));
  return { ...job, event_receipts: job.event_receipts.with(index, noted) };
}

/** Whether anything was noted on the claim since it was made. */
export function isUntouched(claim: ClaimReceipt): boolean {
  return numberIn(claim.tokens_used) === 0 && claim.cost_usd === undefined && claim.renewed_at === undefined;
}

function numberIn(value: unknown): number {
  const text = numberText(value);
  const number = text === undefined ? 0 : Number(plainNumber(text));
  return Number.isFinite(number) ? number : 0;
}
