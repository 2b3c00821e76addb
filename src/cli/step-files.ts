import { appendFileSync } from "node:fs";
import { resolve } from "node:path";
import { ioError } from "../errors/io-error.ts";
import type { TickSummary } from "../wake/summary.ts";
import type { Environment } from "./environment.ts";
import { markdownSummary } from "./markdown-summary.ts";
import { tell } from "./report.ts";

export interface StepFiles {
  readonly summary?: string;
  readonly stepOutput?: string;
}

/** Whether this is a step of GitHub Actions, which reads commands from the log and offers files to report in. */
export function isInActions({ env }: Environment): boolean {
  return env["GITHUB_ACTIONS"] === "true";
}

/** Adds a pass to the files that are named on the command line, or that GitHub Actions offers. */
export function leaveInFiles(summary: TickSummary, flags: StepFiles, environment: Environment): void {
  const { env } = environment;
  const offered = (name: string): string | undefined => (isInActions(environment) ? env[name] : undefined);
  const summaryFile = flags.summary ?? offered("GITHUB_STEP_SUMMARY");
  const outputFile = flags.stepOutput ?? offered("GITHUB_OUTPUT");
  if (summaryFile) leave("the summary", summaryFile, markdownSummary(summary), environment);
  if (outputFile) leave("the step's output", outputFile, stepOutput(summary), environment);
}

/** Failing to must not hide the pass itself: by now it is written, pushed and mailed. */
function leave(what: string, path: string, text: string, environment: Environment): void {
  try {
    appendFileSync(resolve(environment.cwd, path), text);
  } catch (cause) {
    tell(`note: ${what} cannot be written: ${ioError(path, cause).message}; the tick itself is done`, environment);
  }
}

/** What a later step or job of the workflow goes by. Only what was written down counts: a look wakes nobody. */
function stepOutput({ jobs, written, error_count }: TickSummary): string {
  const woken = written ? jobs.filter(({ action }) => action === "WAKE") : [];
  const harnesses = JSON.stringify([...new Set(woken.map(({ harness }) => harness))]);
  return `woken_harnesses=${harnesses}\nwake_count=${woken.length}\nerror_count=${error_count}\n`;
}
