import { cancelJob } from "../owner/change-job.ts";
import { withExample } from "./example.ts";
import { type FleetOptions, type LandOptions, openFleetToWrite, withFleetOptions, withLand } from "./fleet-options.ts";
import { reportAnswer } from "./report.ts";
import type { Cli } from "./verb.ts";

export function addCancelVerb({ program, environment, report }: Cli): void {
  const verb = program.command("cancel <job_id>").description("end a job for good");
  withLand(withFleetOptions(withExample(verb, 'harness-wake cancel nightly-report --reason "no longer wanted"')))
    .option("--reason <line>", "why, for its history", "cancelled by its owner")
    .action(async (jobId: string, flags: FleetOptions & LandOptions & { readonly reason: string }) => {
      const answer = await cancelJob(await openFleetToWrite(flags, environment), jobId, flags.reason);
      report(reportAnswer(answer, `cancelled ${jobId}`, environment));
    });
}
