import { withExample } from "./example.ts";
import { EXIT } from "./exit-code.ts";
import { lookAt } from "./fleet-look.ts";
import { type FleetOptions, openFleetFor, withFleetOptions } from "./fleet-options.ts";
import { oneJob } from "./one-job.ts";
import type { Cli } from "./verb.ts";

export function addShowVerb({ program, environment, report, isForPeople }: Cli): void {
  const verb = program.command("show <job_id>").description("print one job, defaults filled in; for people with its history");
  withExample(withFleetOptions(verb), "harness-wake show nightly-report").action(async (jobId: string, flags: FleetOptions) => {
    const fleet = await openFleetFor(flags, environment);
    const entry = await oneJob(fleet, jobId, { report, environment });
    if (entry === undefined) return;
    const { job } = entry;
    // A program is handed the file's own fields, which no page has a part in.
    const look = isForPeople ? await lookAt(fleet, [entry], environment) : undefined;
    report({
      record: job,
      text: async (screen) => {
        const { jobLines } = await import("./job-text.ts");
        return look === undefined ? [] : jobLines(job, look.facts, screen);
      },
      exit: EXIT.done,
    });
  });
}
