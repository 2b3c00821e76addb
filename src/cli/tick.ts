import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { defaultWorkerId } from "../facts/process-environment.ts";
import { JobError } from "../job/job-error.ts";
import { runTick } from "../wake/run-tick.ts";
import type { TickSummary } from "../wake/summary.ts";
import { type CommonOptions, openFleetFor, withCommonOptions } from "./common-options.ts";
import { EXIT } from "./exit-code.ts";
import { table } from "./report.ts";
import type { Cli } from "./verb.ts";

interface TickFlags extends CommonOptions {
  readonly tick?: boolean;
  readonly dryRun?: boolean;
  readonly workerId?: string;
}

export function addTickVerb({ program, environment, report }: Cli): void {
  withCommonOptions(program)
    .option("--tick", "look at every job once and say which should wake (the default)")
    .option("--dry-run", "print what the tick would do, and do none of it")
    .option("--worker-id <name>", "who ticks, for the receipts (default: this host's name)")
    .action(async (flags: TickFlags, command: Command) => {
      const [word] = command.args;
      if (word !== undefined) {
        const verbs = command.commands.map((verb) => verb.name()).join(", ");
        throw new JobError("USAGE", `there is no verb "${word}"; there are ${verbs}. See harness-wake --help`);
      }
      const fleet = await openFleetFor(flags, environment);
      const workerId = flags.workerId ?? environment.env["HARNESS_WAKE_WORKER_ID"] ?? defaultWorkerId();
      const summary = await runTick(fleet, { workerId, dryRun: flags.dryRun ?? false });
      if (!flags.dryRun) leaveLastTick(fleet.jobsDirectory, summary);
      for (const { error } of summary.jobs) if (error !== undefined) environment.err(`harness-wake: ${error.message}\n`);
      report({ record: summary, text: () => summaryText(summary), exit: summary.ok ? EXIT.done : EXIT.partly });
    });
}

/** Leaves the pass's counts beside the jobs for people to look at. Failing to fails nothing (contract §3). */
function leaveLastTick(jobsDirectory: string, { jobs: _, deliveries: __, ...counts }: TickSummary): void {
  try {
    writeFileSync(join(jobsDirectory, "_last_tick.json"), `${JSON.stringify(counts, null, 2)}\n`);
  } catch {
    // A read-only checkout can be ticked too.
  }
}

function summaryText(summary: TickSummary): string {
  const rows = summary.jobs.map((row) => [
    row.job_id ?? row.error?.file ?? "?",
    row.action,
    row.reason,
    row.status ?? "-",
    row.attempt_id ?? "-",
    row.next_wake_at ?? "-",
  ]);
  const counts = `${summary.wake_count} wake, ${summary.backoff_count} back off, ${summary.hold_count} held, ${summary.stop_count} stop, ${summary.error_count} broken; no model was run`;
  return `${table(["JOB", "ACTION", "REASON", "STATUS", "ATTEMPT", "NEXT WAKE"], rows)}${counts}\n`;
}
