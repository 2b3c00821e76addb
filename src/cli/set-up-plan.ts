import type { PinnedProgram } from "./pinned-program.ts";
import { watchdogWorkflow } from "./watchdog-workflow.ts";

/** What `init` is going to do. */
export interface SetUpPlan {
  /** From the top of the repository. */
  readonly jobsDir: string;
  /** The branch that is made for the jobs; undefined where they stay on the default branch. */
  readonly stateBranch: string | undefined;
  /** Files to write into the work tree, by their paths from its top. */
  readonly files: ReadonlyMap<string, string>;
  /** All that the new branch holds. */
  readonly onStateBranch: ReadonlyMap<string, string>;
  /** Job files that go over to it, by their names. */
  readonly moved: ReadonlyMap<string, Buffer>;
  readonly program: PinnedProgram;
  readonly hasFirstJob: boolean;
}

export const WORKFLOW_FILE = ".github/workflows/job-watchdog.yml";

export interface WorkflowChoices {
  readonly branch: string;
  /** Directories whose changes are looked at once. */
  readonly watched: readonly string[];
  readonly program: PinnedProgram;
}

export function workflowFor({ branch, watched, program }: WorkflowChoices): string {
  const paths = [...watched.map((directory) => `${directory}/**`), "harness-wake.json", WORKFLOW_FILE];
  return watchdogWorkflow({ branch, paths, install: program.install, command: program.command });
}
