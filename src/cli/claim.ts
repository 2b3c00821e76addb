import { type Answer, endedAnswer, heldAnswer, notFound, refusal } from "../answer.ts";
import { type Caller, holdOver } from "../callback/caller.ts";
import { claimAttempt } from "../callback/consume-delivery.ts";
import { JobError } from "../errors/job-error.ts";
import type { Fleet } from "../fleet.ts";
import { rulesInForce } from "../holds/holds.ts";
import type { Job } from "../job/job.ts";
import { mailFor, type WakeMail } from "../mail/wake-mail.ts";
import { claimedText, claimRefOf } from "./claimed-text.ts";
import type { Environment } from "./environment.ts";
import { withExample } from "./example.ts";
import { EXIT } from "./exit-code.ts";
import { type FleetOptions, type LandOptions, openFleetToWrite, withFleetOptions, withLand } from "./fleet-options.ts";
import { readInput } from "./json-input.ts";
import { reportAnswer } from "./report.ts";
import type { Cli } from "./verb.ts";
import { type WorkerFlags, withWorkerId, workerIdFrom } from "./worker-id.ts";

interface ClaimFlags extends FleetOptions, LandOptions, WorkerFlags {
  readonly harness?: string;
  readonly job?: string;
  readonly claimId?: string;
}

export function addClaimVerb({ program, environment, report }: Cli): void {
  const verb = program
    .command("claim")
    .argument("[mail]", "the mail: as JSON, as a file, or - for standard input (default: - where something is piped in)")
    .description("take the attempt that a mail offers; exits 0 on CLAIMED alone, so that `claim … && run-the-model` is safe")
    .option("--job <job_id>", "take what the store offers for this job, without a mail")
    .option("--harness <name>", "the caller's own harness, for holds to look at")
    .option("--claim-id <id>", "the claim's id, drawn by you: the same call again gives the claim back if its answer was lost");
  withExample(verb, "harness-wake claim --job nightly-report > claim.json");
  withLand(withFleetOptions(withWorkerId(verb, "who claims"))).action(async (mail: string | undefined, flags: ClaimFlags) => {
    const input = flags.job === undefined ? requireMail(mail, environment) : refuseBoth(mail);
    const fleet = await openFleetToWrite(flags, environment);
    const caller = { workerId: workerIdFrom(flags, environment), ...(flags.harness !== undefined && { harness: flags.harness }) };
    const refuse = (answer: Answer): void => report({ ...reportAnswer(answer, "", environment), exit: EXIT.refused });
    const offer = input === undefined ? await findOffer(fleet, flags.job ?? "", caller) : { mail: input };
    if ("refused" in offer) return refuse(offer.refused);
    const ownId = flags.claimId === undefined ? {} : { claimId: flags.claimId };
    const answer = await claimAttempt(fleet, offer.mail, { ...caller, ...ownId });
    if (!answer.invoke_model) return refuse(answer);
    const unread = `nobody read the answer, and the claim stands: run no model but for it, and finish or fail it with ${claimRefOf(answer)}`;
    report({ record: answer, text: () => claimedText(answer, caller.workerId), exit: EXIT.done, unread });
  });
}

const CLAIM_WHAT = "claim what? Give the mail as JSON, as a file or on standard input; or --job <job_id>";

function requireMail(mail: string | undefined, environment: Environment): string {
  if (mail === undefined && environment.stdinIsTerminal()) throw new JobError("USAGE", CLAIM_WHAT);
  const input = readInput(mail ?? "-", environment).trim();
  if (mail === undefined && input === "") throw new JobError("USAGE", CLAIM_WHAT);
  return input;
}

function refuseBoth(mail: string | undefined): undefined {
  if (mail !== undefined) throw new JobError("USAGE", `${CLAIM_WHAT}, not both`);
}

type Offer = { readonly mail: WakeMail } | { readonly refused: Answer };

/** The mail that the store holds for a job, sent or not; or the job's own state, where it offers nothing. */
async function findOffer(fleet: Fleet, jobId: string, caller: Caller): Promise<Offer> {
  const entry = await fleet.store.read(jobId);
  if (entry === undefined) return { refused: notFound(jobId) };
  if (entry.error !== undefined) throw entry.error;
  const { job } = entry;
  const hold = holdOver(await rulesInForce(fleet), caller, [job.harness]);
  if (hold !== undefined) return { refused: heldAnswer(hold, jobId, undefined) };
  const mail = mailFor(job);
  if (mail !== undefined) return { mail };
  const why = `${jobId} offers no attempt now; ${whyNone(job)}`;
  return { refused: endedAnswer(job) ?? refusal(job.status, jobId, why) };
}

function whyNone({ status, lease, next_wake_at, blocker }: Job): string {
  switch (status) {
    case "BLOCKED":
      return `it is blocked: ${blocker?.detail ?? "its owner has to unblock it"}`;
    case "LEASED":
      return lease === null ? "the next tick looks at it" : `${lease.holder} has it until ${lease.until}`;
    default:
      return `it wakes with the first tick after ${next_wake_at}`;
  }
}
