import { type Answer, refusal } from "../answer.ts";
import { claimAttempt } from "../callback/consume-delivery.ts";
import { JobError } from "../errors/job-error.ts";
import type { Fleet } from "../fleet.ts";
import { mailFor, type WakeMail } from "../mail/wake-mail.ts";
import { type CommonOptions, type LandOptions, openFleetToWrite, withCommonOptions, withLand } from "./common-options.ts";
import { EXIT } from "./exit-code.ts";
import { readInput } from "./json-input.ts";
import { reportAnswer } from "./report.ts";
import type { Cli } from "./verb.ts";
import { type WorkerFlags, withWorkerId, workerIdFrom } from "./worker-id.ts";

type ClaimFlags = CommonOptions & LandOptions & WorkerFlags & { readonly harness?: string; readonly job?: string };

export function addClaimVerb({ program, environment, report }: Cli): void {
  const verb = program
    .command("claim [mail]")
    .description("take the attempt that a mail offers; exits 0 on CLAIMED alone, so that `claim … && run-the-model` is safe")
    .option("--job <job_id>", "take what the store offers for this job, without a mail")
    .option("--harness <name>", "the caller's own harness, for holds to look at");
  withLand(withCommonOptions(withWorkerId(verb, "who claims"))).action(async (mail: string | undefined, flags: ClaimFlags) => {
    if ((mail === undefined) === (flags.job === undefined)) {
      throw new JobError("USAGE", "claim what? Give the mail as JSON, as a file or - for standard input; or --job <job_id>");
    }
    const fleet = await openFleetToWrite(flags, environment);
    const caller = { workerId: workerIdFrom(flags, environment), ...(flags.harness !== undefined && { harness: flags.harness }) };
    const offer = mail === undefined ? await requireOffer(fleet, flags.job ?? "") : readInput(mail, environment).trim();
    const answer = typeof offer === "object" && "ok" in offer ? offer : await claimAttempt(fleet, offer, caller);
    const claimed = reportAnswer(answer, `claimed ${answer.attempt_id}`, environment);
    report(answer.invoke_model ? claimed : { ...claimed, exit: EXIT.refused });
  });
}

/** The mail that the store holds for a job, sent or not; or why there is none. */
async function requireOffer(fleet: Fleet, jobId: string): Promise<WakeMail | Answer> {
  const entry = await fleet.store.read(jobId);
  if (entry === undefined) return refusal("NOT_FOUND", jobId, `there is no job ${jobId}`);
  if (entry.error !== undefined) throw entry.error;
  return mailFor(entry.job) ?? refusal("STALE_ATTEMPT", jobId, `${jobId} offers no attempt now`);
}
