import { JobError } from "../errors/job-error.ts";
import { updateJob } from "../owner/change-job.ts";
import { withExample } from "./example.ts";
import { type FleetOptions, type LandOptions, openFleetToWrite, withFleetOptions, withLand } from "./fleet-options.ts";
import { fieldsFrom, withFieldOptions } from "./job-fields.ts";
import { reportAnswer } from "./report.ts";
import type { Cli } from "./verb.ts";

type UpdateFlags = FleetOptions & LandOptions & { readonly from?: string };

export function addUpdateVerb({ program, environment, report }: Cli): void {
  const verb = program.command("update <job_id>").description("change the owner's fields of a job");
  withLand(
    withFleetOptions(withExample(withFieldOptions(verb), "harness-wake update nightly-report --lease-seconds 1800")),
  ).action(async (jobId: string, flags: UpdateFlags) => {
    const fleet = await openFleetToWrite(flags, environment);
    const edits = fieldsFrom(verb.opts(), { environment, now: fleet.clock.now() });
    if (Object.keys(edits).length === 0)
      throw new JobError("USAGE", "update what? Give at least one field, like --deadline <time>");
    const answer = await updateJob(fleet, jobId, edits, { source: flags.from ?? `update ${jobId}` });
    report(reportAnswer(answer, `updated ${jobId}`, environment));
  });
}
