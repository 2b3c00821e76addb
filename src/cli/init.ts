import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Option } from "commander";
import { refusal } from "../answer.ts";
import { openSetUp, type SetUpPlace } from "../compose-set-up.ts";
import { CONFIG_FILE } from "../config/config.ts";
import { errnoOf } from "../errors/io-error.ts";
import { JobError } from "../errors/job-error.ts";
import { withExample } from "./example.ts";
import { EXIT } from "./exit-code.ts";
import { type FleetOptions, refuseInPullRequest, withFleetOptions } from "./fleet-options.ts";
import { leftToDo } from "./left-to-do.ts";
import { reportAnswer } from "./report.ts";
import { isSetUp, planSetUp, type SetUpPlan, type SetUpWishes, STATE_BRANCH } from "./set-up-plan.ts";
import type { Cli } from "./verb.ts";
import { WORKFLOW_AGENTS } from "./worker-job.ts";
import { isUntouchedWorkflow, WORKFLOW_FILE } from "./workflow-plan.ts";

type InitFlags = FleetOptions & SetUpWishes;

export function addInitVerb({ program, environment, report }: Cli): void {
  const verb = program
    .command("init")
    .description("set a repository up: a branch for the jobs, the config, and the watchdog's workflow");
  withFleetOptions(withExample(verb, "harness-wake init --first-job hello-watchdog"))
    .option("--branch <name>", "the branch that the watchdog watches (default: the remote's default branch)")
    .option("--state-branch <name>", `the branch that is made for the jobs (default: ${STATE_BRANCH})`)
    .option("--on-main", "keep the jobs on the default branch, beside the code")
    .option("--first-job <job_id>", "add a job to try the set-up with")
    .addOption(new Option("--worker <agent>", "let the workflow also run this agent for what woke").choices([...WORKFLOW_AGENTS]))
    .action(async (flags: InitFlags) => {
      refuseInPullRequest(environment);
      const place = await openSetUp(environment.cwd, environment.env);
      const plan = await planSetUp(place, flags, environment);
      const taken = takenBy(plan, place, flags);
      if (taken !== undefined) {
        report(reportAnswer(refusal("EXISTS", "", taken), "", environment));
        return;
      }
      if (plan.makesBranch) await place.requireNoBranch(plan.branch);
      // All directories before the first file: where one cannot be made, no half of a set-up is left behind.
      for (const path of plan.files.keys()) makeDirectory(dirname(join(place.root, path)));
      if (plan.makesBranch) await place.makeBranch(plan.branch, plan.onStateBranch);
      for (const [path, text] of plan.files) writeFileSync(join(place.root, path), text);
      const steps = leftToDo(place, plan, removeMoved(place.root, plan));
      const { branch, moved } = plan;
      const files = [...plan.files.keys()];
      const record = { ok: true, state: "INITIALIZED", branch, files, moved_jobs: moved.size, left_to_do: steps };
      const list = steps.map((line, i) => `${i + 1}. ${line}\n`).join("");
      const jobs = moved.size === 0 ? branch : `${branch}, ${moved.size} moved there`;
      report({ record, text: () => `made ${files.join(", ")}\njobs: ${jobs}\n\nLeft to do:\n${list}`, exit: EXIT.done });
    });
}

/** Why nothing may be set up here: in words, or undefined where it may. */
function takenBy(plan: SetUpPlan, place: SetUpPlace, wishes: SetUpWishes): string | undefined {
  const { root, config } = place;
  if (plan.kind === "fleet" && isSetUp(place, wishes)) {
    const branch = config.git?.branch ?? "the default branch";
    return `${CONFIG_FILE} is there already, and keeps the jobs on ${branch}; nothing was written. Change it by hand, or remove it first`;
  }
  const others = [...plan.files.keys()].filter((path) => path !== CONFIG_FILE && existsSync(join(root, path)));
  const taken = others.filter((path) => path !== WORKFLOW_FILE || !isUntouchedWorkflow(plan.choices));
  if (taken.length === 0) return undefined;
  const are = taken.length === 1 ? "is" : "are";
  return `${taken.join(", ")} ${are} there already; nothing was written. Remove what you want made anew`;
}

/** Takes the files of moved jobs out of the work tree. Gives those that differ from what was moved, and so were kept. */
function removeMoved(root: string, { jobsDir, moved }: SetUpPlan): readonly string[] {
  const kept: string[] = [];
  for (const [name, bytes] of moved) {
    const path = join(root, jobsDir, name);
    if (!existsSync(path)) continue;
    if (readFileSync(path).equals(bytes)) rmSync(path);
    else kept.push(`${jobsDir}/${name}`);
  }
  return kept;
}

/** Throws JobError CONFIG where something else stands there, or nothing may be written. */
function makeDirectory(path: string): void {
  try {
    mkdirSync(path, { recursive: true });
  } catch (cause) {
    const why = errnoOf(cause) ?? String(cause);
    const remedy = "make room for it, or name other directories with HARNESS_WAKE_JOBS_DIR and HARNESS_WAKE_PAGES_DIR";
    throw new JobError("CONFIG", `${path}: the directory cannot be made (${why}); ${remedy}`, { file: path, cause });
  }
}
