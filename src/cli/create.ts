import { mkdirSync } from "node:fs";
import { JobError } from "../errors/job-error.ts";
import { createdJob } from "../job/moves/create.ts";
import { parseTime } from "../job/time.ts";
import type { JsonObject } from "../json/json.ts";
import { createJobFrom } from "../owner/create-job.ts";
import { type CommonOptions, type LandOptions, openFleetToWrite, withCommonOptions, withLand } from "./common-options.ts";
import { type FieldFlags, fieldsFrom, withFieldOptions } from "./job-fields.ts";
import { reportAnswer, tell } from "./report.ts";
import type { Cli } from "./verb.ts";

type CreateFlags = CommonOptions & LandOptions & FieldFlags & { readonly allowExistingPage?: boolean };

export function addCreateVerb({ program, environment, report }: Cli): void {
  const verb = program.command("create [job_id]").description("add a job");
  withLand(withCommonOptions(withFieldOptions(verb)))
    .option("--new-branch", "make the branch that git.branch names, where the remote does not have it")
    .option("--allow-existing-page", "take a result address whose page already stands, and ask git nothing")
    .action(async (jobId: string | undefined, flags: CreateFlags) => {
      const fleet = await openFleetToWrite(flags, environment);
      const now = fleet.clock.now();
      const fields: JsonObject = { ...fieldsFrom(flags, environment, now), ...(jobId !== undefined && { job_id: jobId }) };
      if (fields["deadline"] === undefined)
        throw new JobError("USAGE", "a job needs an end: give --within 2d or --deadline <time>", { field: "deadline" });
      const source = flags.from ?? "create";
      // Asked before anything is made: wrong use writes nothing, not even a directory.
      createdJob(fields, now, source);
      if (fleet.store.kind === "file") makeDirectory(fleet.jobsDirectory);
      const answer = await createJobFrom(fleet, fields, { allowExistingPage: flags.allowExistingPage ?? false, source });
      if (answer.ok && (parseTime(String(fields["deadline"])) ?? 0) <= now) {
        tell(`note: the deadline of ${answer.job_id} is already over; the next tick will close it`, environment);
      }
      report(reportAnswer(answer, `created ${answer.job_id}`, environment));
    });
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
