import type { HoldName, HoldRule } from "./hold.ts";
import type { Job } from "./job.ts";
import type { Offer } from "./offer.ts";

/** The event of a hold's receipts: its name in lower case (contract §5). */
export function holdEventOf(rule: HoldRule): Lowercase<HoldName> {
  return lowerCase(rule.name);
}

function lowerCase<Text extends string>(text: Text): Lowercase<Text> {
  return text.toLowerCase() as Lowercase<Text>;
}

/** Whether this episode of the hold has its receipt: one that stands after the latest offer (contract §5). */
export function isHoldNoted(job: Job, offer: Offer | undefined, rule: HoldRule): boolean {
  return (offer?.since ?? job.event_receipts).some(
    (receipt) => receipt["carrier"] === rule.name && receipt.event === holdEventOf(rule),
  );
}
