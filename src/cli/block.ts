import { Option } from "commander";
import { BLOCKER_KINDS, type BlockerKind } from "../job/job.ts";
import { blockJob, releaseJob, unblockJob } from "../owner/change-job.ts";
import { withExample } from "./example.ts";
import { type FleetOptions, type LandOptions, openFleetToWrite, withFleetOptions, withLand } from "./fleet-options.ts";
import { reportAnswer } from "./report.ts";
import type { Cli } from "./verb.ts";

type BlockFlags = FleetOptions & LandOptions & { readonly kind: BlockerKind; readonly detail: string };

export function addBlockVerbs({ program, environment, report }: Cli): void {
  const block = program.command("block <job_id>").description("let a job sleep until something outside changes");
  withLand(withFleetOptions(withExample(block, 'harness-wake block nightly-report --detail "needs a key to the archive"')))
    .addOption(new Option("--kind <kind>", "what it waits for").choices(BLOCKER_KINDS).default("external_authority"))
    .requiredOption("--detail <line>", "what has to happen")
    .action(async (jobId: string, flags: BlockFlags) => {
      const answer = await blockJob(await openFleetToWrite(flags, environment), jobId, flags.kind, flags.detail);
      report(reportAnswer(answer, `blocked ${jobId}: ${flags.detail}`, environment));
    });
  const unblock = program.command("unblock <job_id>").description("let a blocked job run again");
  withLand(withFleetOptions(withExample(unblock, "harness-wake unblock nightly-report"))).action(
    async (jobId: string, flags: FleetOptions & LandOptions) => {
      const answer = await unblockJob(await openFleetToWrite(flags, environment), jobId);
      report(reportAnswer(answer, `unblocked ${jobId}`, environment));
    },
  );
  const release = program
    .command("release <job_id>")
    .description("take an offer back, claimed or not; the next due tick offers the job anew");
  withLand(withFleetOptions(withExample(release, "harness-wake release nightly-report"))).action(
    async (jobId: string, flags: FleetOptions & LandOptions) => {
      const answer = await releaseJob(await openFleetToWrite(flags, environment), jobId);
      report(reportAnswer(answer, `released ${jobId}`, environment));
    },
  );
}
