import { refusal } from "../answer.ts";
import { formatJob } from "../job/file/format-job.ts";
import { EXIT } from "./exit-code.ts";
import { type FleetOptions, openFleetFor, withFleetOptions } from "./fleet-options.ts";
import { reportAnswer } from "./report.ts";
import type { Cli } from "./verb.ts";

export function addShowVerb({ program, environment, report }: Cli): void {
  withFleetOptions(program.command("show <job_id>").description("print one job, defaults filled in")).action(
    async (jobId: string, flags: FleetOptions) => {
      const entry = await (await openFleetFor(flags, environment)).store.read(jobId);
      if (entry === undefined) {
        report(reportAnswer(refusal("NOT_FOUND", jobId, `there is no job ${jobId}`), "", environment));
        return;
      }
      if (entry.error !== undefined) throw entry.error;
      report({
        record: entry.job,
        text: () => formatJob(entry.job, jobId),
        exit: EXIT.done,
      });
    },
  );
}
