import { type Command, Option } from "commander";
import { type OpenedFleet, openFleet } from "../compose.ts";
import { JobError } from "../errors/job-error.ts";
import { rulesInForce } from "../holds/holds.ts";
import { formatTime, type Seconds } from "../job/time.ts";
import type { Environment } from "./environment.ts";
import { requireTime } from "./option-value.ts";
import { FORMATS } from "./output-style.ts";

/** Options that every verb over a fleet takes (contract §9). */
export interface FleetOptions {
  readonly jobsDir?: string;
  readonly config?: string;
  readonly now?: Seconds;
}

export function withFleetOptions(command: Command): Command {
  return command
    .option("--jobs-dir <dir>", "where the job files are (default: wake_jobs at the repository's root)")
    .option("--config <file>", "a config file instead of harness-wake.json at the repository's root")
    .option("--now <time>", "decide as of this moment instead of the clock's", requireTime)
    .option("--json", "print JSON also on a terminal; with field names after it, like job_id,status, those alone")
    .addOption(
      new Option("--format <format>", "how to print, wherever it goes (default: by whether it is a terminal)").choices(FORMATS),
    )
    .option("--debug", "print stack traces of errors");
}

/** Options of a verb that writes. */
export interface LandOptions {
  readonly land?: boolean;
  /** Whether the branch that config names may be made. */
  readonly newBranch?: boolean;
}

export function withLand(command: Command): Command {
  return command.option("--land", "write by a push to the git remote, so that every machine sees it (default: as store says)");
}

/** Anyone can open a pull request: what runs there may look, and must neither mail nor push (contract §4). Throws JobError USAGE. */
export function refuseInPullRequest({ env }: Environment): void {
  if (!env["GITHUB_EVENT_NAME"]?.startsWith("pull_request")) return;
  throw new JobError(
    "USAGE",
    "--deliver, --land and a git store's writes are refused in a pull request run; tick there without them",
  );
}

/** The fleet of a verb that writes. Throws JobError CONFIG; USAGE for a push from a pull request run, or a `--now` far off. */
export async function openFleetToWrite(options: FleetOptions & LandOptions, environment: Environment): Promise<OpenedFleet> {
  const fleet = await openFleetFor(options, environment, { look: false });
  requireWritable(fleet, options, environment);
  return fleet;
}

/** Throws JobError USAGE where this call may look at the fleet and not write to it. */
export function requireWritable(fleet: OpenedFleet, { now }: FleetOptions, environment: Environment): void {
  if (fleet.store.kind === "git") refuseInPullRequest(environment);
  if (now !== undefined) refuseFarOff(now, environment);
}

/** A slip in a year would end jobs, or lease them for decades. */
function refuseFarOff(now: Seconds, { env, now: machineNow }: Environment): void {
  const machine = machineNow();
  if (Math.abs(now - machine) <= DAY || env["HARNESS_WAKE_SIMULATE"] === "1") return;
  const message = `--now ${formatTime(now)} is more than a day from this machine's clock (${formatTime(machine)}), and this call writes; leave --now out, add --dry-run to a tick, or set HARNESS_WAKE_SIMULATE=1 for a fleet that only plays`;
  throw new JobError("USAGE", message, { field: "now" });
}

const DAY = 86_400;

/** The fleet that a command line names; by default to look at it. Throws JobError CONFIG. */
export async function openFleetFor(
  options: FleetOptions & LandOptions,
  environment: Environment,
  { look }: { readonly look: boolean } = { look: true },
): Promise<OpenedFleet> {
  const { jobsDir, config, now, land, newBranch } = options;
  const fleet = await openFleet({
    dir: environment.cwd,
    env: environment.env,
    ...(jobsDir !== undefined && { jobsDir }),
    ...(config !== undefined && { configFile: config }),
    ...(now !== undefined && { now }),
    ...(newBranch !== undefined && { newBranch }),
    ...(land && { store: "git" }),
    look,
    ...(environment.onProgress !== undefined && { onProgress: environment.onProgress }),
  });
  // Asked by every verb, also by one that no hold concerns: a checkout that is behind would read another branch.
  if (fleet.store.kind === "git") {
    environment.onProgress?.("asking the git remote for the holds");
    await rulesInForce(fleet);
  }
  return fleet;
}
