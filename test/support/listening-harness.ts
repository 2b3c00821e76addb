import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Answer } from "../../src/answer.ts";
import { consumeDelivery } from "../../src/callback/consume-delivery.ts";
import type { ClaimRef } from "../../src/callback/decide-on-claim.ts";
import { type FinishOptions, finishDelivery } from "../../src/callback/finish-delivery.ts";
import { renewDelivery } from "../../src/callback/renew-delivery.ts";
import { openFleet } from "../../src/compose.ts";

/**
 * A harness in a process of its own that knows the repository and nothing else: it listens to the configured topics,
 * claims what comes, renews, and finishes. The first attempt takes the checkpoint a step on; the second one writes the
 * page, pushes it and says that the work is done. It tells each answer that it gets.
 */
const [directory = ""] = process.argv.slice(2);

export interface Heard {
  readonly call: "claim" | "renew" | "finish";
  readonly answer: Answer;
}

const me = { workerId: "listening-harness-1", harness: "script" };
const fleet = await openFleet({ dir: directory });

for await (const mail of fleet.openInbox().listen(new AbortController().signal)) {
  const claim = await consumeDelivery(fleet, mail, me);
  tell("claim", claim);
  if (!claim.invoke_model) continue;
  tell("renew", await renewDelivery(fleet, claim, { ...me, tokensUsed: 700 }));
  tell("finish", await finishDelivery(fleet, claim, { ...me, tokensUsed: 1_200, ...work(claim, claim.checkpoint) }));
}

function work({ job_id }: ClaimRef, checkpoint: Readonly<Record<string, unknown>>): Partial<FinishOptions> {
  if (checkpoint["drafted"] !== true) return { checkpoint: { ...checkpoint, drafted: true } };
  mkdirSync(join(directory, "p"), { recursive: true });
  writeFileSync(join(directory, "p", `${job_id}.md`), "All quiet.\n");
  const author = ["-c", "user.name=Test", "-c", "user.email=test@example.invalid", "-c", "commit.gpgSign=false"];
  for (const args of [
    ["add", "p"],
    ["commit", "-q", "-m", "the report"],
    ["push", "-q", "origin", "HEAD"],
  ]) {
    execFileSync("git", [...author, ...args], { cwd: directory, stdio: "ignore" });
  }
  return { result: { kind: "report" } };
}

function tell(call: Heard["call"], answer: Answer): void {
  process.send?.({ call, answer } satisfies Heard);
}
