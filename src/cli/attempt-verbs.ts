import { Option } from "commander";
import type { Answer } from "../answer.ts";
import { failDelivery } from "../callback/fail-delivery.ts";
import { finishDelivery } from "../callback/finish-delivery.ts";
import { renewDelivery } from "../callback/renew-delivery.ts";
import { JobError } from "../errors/job-error.ts";
import { BLOCKER_KINDS, type BlockerKind } from "../job/job.ts";
import type { Seconds } from "../job/time.ts";
import { formatTime } from "../job/time.ts";
import { type ClaimInputFlags, requireClaim, withClaimInput } from "./claim-input.ts";
import type { Environment } from "./environment.ts";
import { withExample } from "./example.ts";
import { EXIT } from "./exit-code.ts";
import { openFleetToWrite } from "./fleet-options.ts";
import { readInput, readObject, requireJson } from "./json-input.ts";
import { requireTime } from "./option-value.ts";
import { type Report, reportAnswer } from "./report.ts";
import type { Cli } from "./verb.ts";
import { workerIdFrom } from "./worker-id.ts";

interface FinishFlags extends ClaimInputFlags {
  readonly checkpoint?: string;
  readonly result?: string;
  readonly resultAddress?: string;
  readonly nextWakeAt?: Seconds;
  readonly blocker?: string;
  readonly kind: BlockerKind;
}

export function addAttemptVerbs({ program, environment, report }: Cli): void {
  const renew = program.command("renew").description("keep a claimed attempt's lease alive while its work goes on");
  withClaimInput(withExample(renew, "harness-wake renew claim.json --tokens-used 1200")).action(
    async (claim: string, flags: ClaimInputFlags) => {
      const answer = await renewDelivery(
        await openFleetToWrite(flags, environment),
        requireClaim(claim, environment),
        callerOf(flags, environment),
      );
      report(reportAttempt(answer, ["RENEWED"], `renewed ${answer.attempt_id}`, environment));
    },
  );
  const finish = program
    .command("finish")
    .description("end a claimed attempt: commit its checkpoint, or DONE where its page stands");
  withClaimInput(withExample(finish, `harness-wake finish claim.json --checkpoint '{"step": 1}' --tokens-used 1800`))
    .option("--checkpoint <json>", "the new checkpoint, as JSON, a file or -; default: the old one, its step raised by one")
    .option("--result <json>", "the work is over, with this result, as JSON, a file or -; DONE where the page stands")
    .option("--result-address <id>", "the page p/<id>.md, in place of the job's own")
    .option("--next-wake-at <time>", "when the next attempt may start (default: now)", requireTime)
    .option("--blocker <line>", "what has to happen before the work can go on: the job is blocked until its owner unblocks it")
    .addOption(new Option("--kind <kind>", "what kind of blocker it is").choices(BLOCKER_KINDS).default("external_authority"))
    .action(async (claim: string, flags: FinishFlags) => {
      if ([claim, flags.checkpoint, flags.result].filter((input) => input === "-").length > 1) {
        throw new JobError("USAGE", "only one of claim, --checkpoint and --result can come from standard input");
      }
      const { checkpoint, result, resultAddress, nextWakeAt, blocker, kind } = flags;
      const answer = await finishDelivery(await openFleetToWrite(flags, environment), requireClaim(claim, environment), {
        ...callerOf(flags, environment),
        ...(checkpoint !== undefined && { checkpoint: readObject(checkpoint, environment) }),
        ...(result !== undefined && { result: requireJson(readInput(result, environment), "--result") }),
        ...(resultAddress !== undefined && { resultAddress }),
        ...(nextWakeAt !== undefined && { nextWakeAt: formatTime(nextWakeAt) }),
        ...(blocker !== undefined && { blocker: { kind, detail: blocker } }),
      });
      report(reportAttempt(answer, ["CHECKPOINT", "DONE"], `finished ${answer.attempt_id}: ${answer.state}`, environment));
    });
  const fail = program.command("fail").description("give a claimed attempt up; the next tick backs off");
  withClaimInput(withExample(fail, 'harness-wake fail claim.json --detail "the archive does not answer"'))
    .requiredOption("--detail <text>", "what went wrong, for the job's history")
    .action(async (claim: string, flags: ClaimInputFlags & { readonly detail: string }) => {
      const caller = { ...callerOf(flags, environment), detail: flags.detail };
      const answer = await failDelivery(await openFleetToWrite(flags, environment), requireClaim(claim, environment), caller);
      report(reportAttempt(answer, ["FAILED"], `gave up ${answer.attempt_id}`, environment));
    });
}

function callerOf(flags: ClaimInputFlags, environment: Environment) {
  return {
    workerId: workerIdFrom(flags, environment),
    ...(flags.harness !== undefined && { harness: flags.harness }),
    ...(flags.tokensUsed !== undefined && { tokensUsed: flags.tokensUsed }),
    ...(flags.costUsd !== undefined && { costUsd: flags.costUsd }),
  };
}

/** Exit 0 where the call was applied, now or before; a held job's answer is ok and still not that (contract §9). */
function reportAttempt(answer: Answer, applied: readonly string[], done: string, environment: Environment): Report {
  const reported = reportAnswer(answer, done, environment);
  return answer.ok && !applied.includes(answer.state) ? { ...reported, exit: EXIT.refused } : reported;
}
