import { mkdirSync } from "node:fs";
import type { OpenedFleet } from "../compose.ts";
import { JobError } from "../errors/job-error.ts";
import { rulesInForce } from "../holds/holds.ts";
import { findHold } from "../job/hold.ts";
import { type Job, momentOf } from "../job/job.ts";
import { createdJob } from "../job/moves/create.ts";
import type { Seconds } from "../job/time.ts";
import type { JsonObject } from "../json/json.ts";
import { createJobFrom } from "../owner/create-job.ts";
import type { Environment } from "./environment.ts";
import { withExample } from "./example.ts";
import { type FleetOptions, type LandOptions, openFleetToWrite, withFleetOptions, withLand } from "./fleet-options.ts";
import { fieldsFrom, withFieldOptions } from "./job-fields.ts";
import { reportAnswer, tell } from "./report.ts";
import { schemaReference } from "./schema-reference.ts";
import type { Cli } from "./verb.ts";

type CreateFlags = FleetOptions & LandOptions & { readonly from?: string; readonly allowExistingPage?: boolean };

const EXAMPLE =
  'harness-wake create nightly-report --owner HARBOR --harness script --objective "Write the nightly report" --within 2d';

export function addCreateVerb({ program, environment, report }: Cli): void {
  const verb = program.command("create [job_id]").description("add a job");
  withLand(withFleetOptions(withExample(withFieldOptions(verb), EXAMPLE)))
    .option("--new-branch", "make the branch that git.branch names, where the remote does not have it")
    .option("--allow-existing-page", "take a result address whose page already stands, and ask git nothing")
    .action(async (jobId: string | undefined, flags: CreateFlags) => {
      const fleet = await openFleetToWrite(flags, environment);
      const now = fleet.clock.now();
      const fields: JsonObject = {
        $schema: schemaReference("job", fleet.root, fleet.jobsDirectory),
        ...fieldsFrom(verb.opts(), { environment, now }),
        ...(jobId !== undefined && { job_id: jobId }),
      };
      if (fields["deadline"] === undefined)
        throw new JobError("USAGE", "a job needs an end: give --within 2d or --deadline <time>", { field: "deadline" });
      const source = flags.from ?? "create";
      // Asked before anything is made: wrong use writes nothing, not even a directory.
      requireAFuture(createdJob(fields, now, source), now);
      if (fleet.store.kind === "file") makeDirectory(fleet.jobsDirectory);
      const answer = await createJobFrom(fleet, fields, { allowExistingPage: flags.allowExistingPage ?? false, source });
      if (answer.ok) await warnOfHold(fleet, answer.job, environment);
      report(reportAnswer(answer, `created ${answer.job_id}`, environment));
    });
}

/** Throws JobError USAGE for a job whose end comes before its first wake: it could only be exhausted. */
function requireAFuture({ deadline, next_wake_at }: Job, now: Seconds): void {
  const end = momentOf(deadline);
  const why =
    end <= now ? "is already over" : end <= momentOf(next_wake_at) ? `comes before its first wake at ${next_wake_at}` : undefined;
  if (why === undefined) return;
  throw new JobError("USAGE", `the deadline ${deadline} ${why}, so the job could only fail; give a later one`, {
    field: "deadline",
  });
}

/** A held job sleeps until its owner lifts the hold, which is easily taken for a fleet that does not tick. */
async function warnOfHold(fleet: OpenedFleet, { job_id, harness }: Job, environment: Environment): Promise<void> {
  const hold = findHold(await rulesInForce(fleet), [harness]);
  if (hold !== undefined)
    tell(`note: ${job_id} will not wake: ${hold.name} covers the harness ${harness}. ${hold.note}`, environment);
}

/** A first job makes the directory, but never the path to it: that would hide a mistyped one. */
function makeDirectory(directory: string): void {
  try {
    mkdirSync(directory);
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
    if (code !== "EEXIST")
      throw new JobError("CONFIG", `${directory}: cannot be made (${code}); make it yourself, or name another with --jobs-dir`, {
        file: directory,
        cause,
      });
  }
}
