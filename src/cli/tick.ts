import { appendFileSync, lstatSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Command } from "commander";
import { ioError } from "../errors/io-error.ts";
import { JobError } from "../errors/job-error.ts";
import { runTick } from "../wake/run-tick.ts";
import type { TickSummary } from "../wake/summary.ts";
import { type CommonOptions, openFleetFor, refuseInPullRequest, withCommonOptions } from "./common-options.ts";
import type { Environment } from "./environment.ts";
import { EXIT } from "./exit-code.ts";
import { markdownSummary } from "./markdown-summary.ts";
import { table, tell } from "./report.ts";
import type { Cli } from "./verb.ts";
import { type WorkerFlags, withWorkerId, workerIdFrom } from "./worker-id.ts";

interface TickFlags extends CommonOptions, WorkerFlags {
  readonly tick?: boolean;
  readonly deliver?: boolean;
  readonly land?: boolean;
  readonly dryRun?: boolean;
  readonly summary?: string;
}

export function addTickVerb({ program, environment, report }: Cli): void {
  withCommonOptions(withWorkerId(program, "who ticks"))
    .option("--tick", "look at every job once and say which should wake (the default)")
    .option("--deliver", "mail the wakes to the configured ntfy topics")
    .option("--land", "decide on the git remote's head and push what moved, before any mail goes out")
    .option("--dry-run", "print what the tick would do, and do none of it")
    .option("--summary <file>", "add a report in Markdown to this file")
    .action(async (flags: TickFlags, command: Command) => {
      refuseStrayWord(command);
      if (flags.deliver || flags.land) refuseInPullRequest(environment);
      const { land = false, ...common } = flags;
      const fleet = await openFleetFor({ ...common, store: land ? "git" : "file" }, environment);
      if (flags.deliver && !land && fleet.settings.store === "git") {
        const why = 'store is "git", so mail may go out only for wakes that every machine can see';
        throw new JobError("CONFIG", `--deliver needs --land here: ${why}`, { field: "store" });
      }
      const mail = flags.deliver ? { mailer: fleet.openMailer() } : {};
      const workerId = workerIdFrom(flags, environment);
      const summary = await runTick({ ...fleet, ...mail }, { workerId, dryRun: flags.dryRun ?? false });
      if (flags.summary) leaveReport(flags.summary, summary, environment);
      if (!flags.dryRun && !land) leaveLastTick(fleet.jobsDirectory, summary);
      for (const { error } of summary.jobs) if (error !== undefined) tell(error.message, environment);
      report({ record: summary, text: () => summaryText(summary), exit: summary.ok ? EXIT.done : EXIT.partly });
    });
}

function refuseStrayWord(command: Command): void {
  const [word] = command.args;
  if (word === undefined) return;
  const verbs = command.commands.map((verb) => verb.name()).join(", ");
  throw new JobError("USAGE", `there is no verb "${word}"; there are ${verbs}. See harness-wake --help`);
}

/** Adds the pass's report for people. Failing to must not hide the pass itself: by now it is written, pushed and mailed. */
function leaveReport(path: string, summary: TickSummary, environment: Environment): void {
  try {
    appendFileSync(resolve(environment.cwd, path), markdownSummary(summary));
  } catch (cause) {
    tell(`note: --summary cannot be written: ${ioError(path, cause).message}; the tick itself is done`, environment);
  }
}

/** Leaves the pass's counts beside the jobs for people to look at. Failing to fails nothing (contract §3). */
function leaveLastTick(jobsDirectory: string, { jobs: _, deliveries: __, ...counts }: TickSummary): void {
  try {
    const path = join(jobsDirectory, "_last_tick.json");
    // A repository can bring a link of that name along, to any file of whoever ticks there; a pipe would wait for a reader.
    if (lstatSync(path, { throwIfNoEntry: false })?.isFile() === false) return;
    writeFileSync(path, `${JSON.stringify(counts, null, 2)}\n`);
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
