import { type Command, InvalidArgumentError } from "commander";
import { type OpenedFleet, openFleet } from "../compose.ts";
import { JobError } from "../errors/job-error.ts";
import { parseDuration } from "../job/duration.ts";
import { parseTime, type Seconds } from "../job/time.ts";
import type { Environment } from "./environment.ts";

/** Options that every verb over a fleet takes (contract §9). */
export interface CommonOptions {
  readonly jobsDir?: string;
  readonly config?: string;
  readonly now?: Seconds;
}

export function withCommonOptions(command: Command): Command {
  return command
    .option("--jobs-dir <dir>", "where the job files are (default: wake_jobs at the repository's root)")
    .option("--config <file>", "a config file instead of harness-wake.json at the repository's root")
    .option("--now <time>", "decide as of this moment instead of the clock's", requireTime)
    .option("--json", "print JSON also on a terminal")
    .option("--debug", "print stack traces of errors");
}

/** Options of a verb that writes. */
export interface LandOptions {
  readonly land?: boolean;
  /** Which store to use whatever config says: a tick without --land looks at the checkout's own files. */
  readonly store?: "file" | "git";
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

/** The fleet of a verb that writes. Throws JobError CONFIG, and USAGE for a push from a pull request run. */
export async function openFleetToWrite(options: CommonOptions & LandOptions, environment: Environment): Promise<OpenedFleet> {
  const fleet = await openFleetFor(options, environment);
  if (fleet.storeKind === "git") refuseInPullRequest(environment);
  return fleet;
}

/** The fleet that a command line names. Throws JobError CONFIG. */
export async function openFleetFor(options: CommonOptions & LandOptions, environment: Environment): Promise<OpenedFleet> {
  const { jobsDir, config, now, land, store = land ? "git" : undefined, newBranch } = options;
  return openFleet({
    dir: environment.cwd,
    env: environment.env,
    ...(jobsDir !== undefined && { jobsDir }),
    ...(config !== undefined && { configFile: config }),
    ...(now !== undefined && { now }),
    ...(store !== undefined && { store }),
    ...(newBranch !== undefined && { newBranch }),
  });
}

/** A time on the command line. Throws InvalidArgumentError. */
export function requireTime(text: string): Seconds {
  const moment = parseTime(text);
  if (moment === undefined) throw new InvalidArgumentError("It must be a time that exists, like 2026-11-30T12:00:00Z.");
  return moment;
}

/** A whole number on the command line. Throws InvalidArgumentError. */
export function requireInteger(text: string): number {
  const number = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(number)) throw new InvalidArgumentError("It must be a whole number, at most 2^53-1.");
  return number;
}

/** A length of time on the command line, in seconds: `45s`, `30m`, `1h30m`, `2d`, `1w`. Throws InvalidArgumentError. */
export function requireDuration(text: string): number {
  const seconds = parseDuration(text);
  if (seconds === undefined) throw new InvalidArgumentError("It must be a length of time, like 45s, 30m, 1h30m or 2d.");
  return seconds;
}
