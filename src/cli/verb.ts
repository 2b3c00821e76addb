import type { Command } from "commander";
import type { Environment } from "./environment.ts";
import type { Report } from "./report.ts";

/** What a verb's module is handed: where to hang the verb, and the process around it. */
export interface Cli {
  readonly program: Command;
  readonly environment: Environment;
  /** Keeps the verb's report for `runProgram` to put out. */
  report(report: Report): void;
  /** Puts a report out at once, for a verb with several; false where nobody reads them any more. */
  show(report: Report): Promise<boolean>;
  /** Puts an error out at once, for a call that goes on after it. */
  showError(error: unknown): void;
  /** Whether reports are text for people, as the command line and the terminal have it. */
  readonly isForPeople: boolean;
}
