import type { Claimed } from "../callback/consume-delivery.ts";
import type { Json, JsonObject } from "../json/json.ts";
import { printableJson } from "./printable.ts";

type OurClaim = Claimed<JsonObject, Json>;

/** What renew, finish and fail need to know a claim by, as one word of a command line. */
export function claimRefOf({ job_id, attempt_id, claim_id }: OurClaim): string {
  return `'${JSON.stringify({ job_id, attempt_id, claim_id })}'`;
}

function shellWord(text: string): string {
  return /^[\w.-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** A claim for a person: what the work is, how long it may take, and the command that ends it. */
export function claimedText(claim: OurClaim, workerId: string): string {
  const { attempt_id, lease, objective, instructions, checkpoint, deadline, tokens_left, result_address } = claim;
  const page = result_address === "" ? "" : `page       ${result_address}.md, in the pages directory of the default branch\n`;
  return `claimed ${attempt_id} until ${lease.until}; renew it before then
objective  ${objective}
${instructions === "" ? "" : `\n${instructions}\n\n`}checkpoint ${printableJson(checkpoint)}
${page}deadline   ${deadline}, ${tokens_left} tokens left

When you are done, or to keep the claim (renew), or to give it up (fail --detail <text>):
  harness-wake finish ${claimRefOf(claim)} --worker-id ${shellWord(workerId)}
`;
}
