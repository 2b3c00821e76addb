import { lstatSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { JobError } from "../errors/job-error.ts";
import { runTick } from "../wake/run-tick.ts";
import type { TickSummary } from "../wake/summary.ts";
import type { Environment } from "./environment.ts";
import { withExample } from "./example.ts";
import { EXIT } from "./exit-code.ts";
import { type FleetOptions, openFleetFor, refuseInPullRequest, requireWritable, withFleetOptions } from "./fleet-options.ts";
import { requireDuration } from "./option-value.ts";
import { type Report, tell } from "./report.ts";
import { isInActions, leaveInFiles, type StepFiles } from "./step-files.ts";
import { tickText } from "./tick-text.ts";
import type { Cli } from "./verb.ts";
import { type WorkerFlags, withWorkerId, workerIdFrom } from "./worker-id.ts";

interface TickFlags extends FleetOptions, WorkerFlags, StepFiles {
  readonly tick?: boolean;
  readonly deliver?: boolean;
  readonly land?: boolean;
  readonly dryRun?: boolean;
  readonly every?: number;
}

export function addTickVerb({ program, environment, report, show, showError }: Cli): void {
  withFleetOptions(withWorkerId(withExample(program, "harness-wake --tick --deliver"), "who ticks"))
    .option("--tick", "look at every job once and say which should wake (the default)")
    .option("--deliver", "mail the wakes to the configured ntfy topics")
    .option("--land", "decide on the git remote's head and push what moved, before any mail goes out")
    .option("--dry-run", "print what the tick would do, and do none of it")
    .option("--every <duration>", "tick again and again, this often, until told to stop", requireDuration)
    .option("--summary <file>", "add a report in Markdown to this file (default in GitHub Actions: GITHUB_STEP_SUMMARY)")
    .option("--step-output <file>", "add what woke to this file, as outputs of a workflow's step (default there: GITHUB_OUTPUT)")
    .action(async (flags: TickFlags, command: Command) => {
      refuseStrayWord(command);
      if (flags.deliver || flags.land) refuseInPullRequest(environment);
      if (flags.every === undefined) {
        report(await tickOnce(flags, environment));
        return;
      }
      const { tickEvery } = await import("./tick-every.ts");
      const tick = async (): Promise<void> => void (await show(await tickOnce(flags, environment)));
      report({ record: undefined, text: () => "", exit: await tickEvery(flags, tick, showError, environment) });
    });
}

/** One pass, with what it leaves beside its report. Throws JobError where nothing could be decided. */
async function tickOnce(flags: TickFlags, environment: Environment): Promise<Report> {
  const { deliver = false, land = false } = flags;
  const workerId = workerIdFrom(flags, environment);
  const fleet = await openFleetFor(flags, environment, { look: (!deliver && !land) || (flags.dryRun ?? false) });
  // On a branch that every machine trusts, looking must not be taken for acting: that takes a word more.
  const isLook = fleet.store.kind === "git" && !deliver && !land;
  const dryRun = isLook || (flags.dryRun ?? false);
  if (!dryRun) requireWritable(fleet, flags, environment);
  const mail = deliver ? { mailer: fleet.openMailer() } : {};
  const summary = await runTick({ ...fleet, ...mail }, { workerId, dryRun });
  leaveInFiles(summary, flags, environment);
  if (summary.written && summary.store === "file") leaveLastTick(fleet.jobsDirectory, summary);
  for (const { error } of summary.jobs) if (error !== undefined) tell(error.message, environment);
  if (isInActions(environment)) environment.err((await import("./tick-annotations.ts")).tickAnnotations(summary));
  return { record: summary, text: () => tickText(summary, fleet), exit: summary.ok ? EXIT.done : EXIT.partly };
}

function refuseStrayWord(command: Command): void {
  const [word] = command.args;
  if (word === undefined) return;
  const verbs = command.commands.map((verb) => verb.name()).join(", ");
  throw new JobError("USAGE", `there is no verb "${word}"; there are ${verbs}. See harness-wake --help`);
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
