import type { SetUpPlace } from "../compose-set-up.ts";
import type { PinnedPackage } from "./pinned-package.ts";
import type { SetUpPlan } from "./set-up-plan.ts";
import { VERSION } from "./version.ts";
import type { WorkerPlan } from "./workflow-plan.ts";

/** What a person has to do after `init`, in this order. `kept` are old job files that `init` did not dare to remove. */
export function leftToDo({ defaultBranch }: SetUpPlace, plan: SetUpPlan, kept: readonly string[]): readonly string[] {
  const { kind, branch, makesBranch, moved, workflow, hasFirstJob } = plan;
  const { program, worker } = workflow;
  const pins = [...new Set([program, worker?.pinned].flatMap((pinned) => pinned?.pinnedBy ?? []))];
  const steps: readonly (string | false | undefined)[] = [
    kept.length > 0 && `These jobs differ from those that were moved to ${branch}; compare and remove them: ${kept.join(", ")}.`,
    program.pinnedBy === undefined && howToPin(program),
    worker && worker.pinned.pinnedBy === undefined && howToPinAgent(worker),
    `Commit and push to ${defaultBranch}: ${["these files", ...pins].join(", ")}. Other machines go by them from then on.`,
    moved.size > 0 &&
      "If git then reports a conflict in a job's file, that job moved meanwhile: carry its change over to the new branch by hand.",
    worker && `Save the key of ${worker.agent} as the repository secret ${worker.keys.join(" or ")}.`,
    kind === "fleet" && howToMail(worker),
    worker && `If ${defaultBranch} is protected, let github-actions push to it: agents push their pages there.`,
    kind === "fleet" && howToPush(branch, makesBranch),
    !hasFirstJob && howToCreate(program, worker),
  ];
  return steps.filter((step) => typeof step === "string");
}

function howToPin({ directory }: PinnedPackage): string {
  const file = `harness-wake-${VERSION}.tgz`;
  const make = `In a clone of harness-wake, \`npm ci && npm pack\` makes ${file}. Put it into ${directory}`;
  return `Pin the program that the workflow runs: its runs fail until then. ${make}, run ${npmPin(directory, `./${directory}/${file}`)}, and commit that directory.`;
}

function howToPinAgent({ agent, package: { name, version }, pinned: { directory } }: WorkerPlan): string {
  return `Pin ${agent}: the worker's runs fail until then. Run ${npmPin(directory, `${name}@${version}`)}, and commit ${directory}.`;
}

/** Only the lockfile is written; nothing is installed here. */
function npmPin(directory: string, what: string): string {
  const npm = `npm install --prefix ${directory} --package-lock-only --ignore-scripts --save-exact ${what}`;
  return `\`mkdir -p ${directory} && ${npm}\``;
}

function howToMail(worker: WorkerPlan | undefined): string {
  const who = worker === undefined ? "" : "Only where harnesses elsewhere are to be woken by mail: ";
  return `${who}Choose an ntfy topic with a name that nobody guesses. Save its address, like https://ntfy.sh/<topic>, as the repository secret HARNESS_WAKE_NTFY_URLS, and its token, if it needs one, as NTFY_TOKEN.`;
}

function howToCreate({ directory, pinnedBy }: PinnedPackage, worker: WorkerPlan | undefined): string {
  // Where npm has not installed it, npx would take whatever a registry has under that name.
  const command = directory === "" && pinnedBy !== undefined ? "npx harness-wake" : "harness-wake";
  const harness = worker?.agent ?? "<name>";
  return `Create a job: \`${command} create <job_id> --owner <NAME> --harness ${harness} --objective <line> --within 2d\`.`;
}

function howToPush(branch: string, isOwnBranch: boolean): string {
  return isOwnBranch
    ? `If every branch is protected, let github-actions push to ${branch}.`
    : "If the branch is protected, let github-actions push to it, or keep the jobs on a branch of their own: run init without --on-main.";
}
