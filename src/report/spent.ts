import type { Job } from "../job/job.ts";
import { isEvent } from "../job/receipt.ts";
import { numberText } from "../json/json.ts";

/** What the attempts of a job have cost in US dollars, as their claimants told; undefined where none did (contract §6). */
export function costOf(job: Job): number | undefined {
  let sum: number | undefined;
  for (const receipt of job.event_receipts) {
    const cost = isEvent(receipt, "delivery_claim") ? Number(numberText(receipt.cost_usd)) : Number.NaN;
    if (Number.isFinite(cost)) sum = (sum ?? 0) + cost;
  }
  return sum;
}
