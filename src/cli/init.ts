import { isUtf8 } from "node:buffer";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { refusal } from "../answer.ts";
import { openSetUp, type SetUpPlace } from "../compose-set-up.ts";
import { CONFIG_FILE, requireConfig } from "../config/config.ts";
import { errnoOf } from "../errors/io-error.ts";
import { JobError } from "../errors/job-error.ts";
import type { Environment } from "./environment.ts";
import { EXIT } from "./exit-code.ts";
import { firstJob } from "./first-job.ts";
import { type FleetOptions, refuseInPullRequest, withFleetOptions } from "./fleet-options.ts";
import { findPinnedProgram } from "./pinned-program.ts";
import { reportAnswer } from "./report.ts";
import { type SetUpPlan, WORKFLOW_FILE, workflowFor } from "./set-up-plan.ts";
import type { Cli } from "./verb.ts";

interface InitFlags extends FleetOptions {
  readonly branch?: string;
  readonly stateBranch?: string;
  readonly onMain?: boolean;
  readonly firstJob?: string;
}

const STATE_BRANCH = "wake-state";

export function addInitVerb({ program, environment, report }: Cli): void {
  withFleetOptions(
    program.command("init").description("set a repository up: a branch for the jobs, the config, and the watchdog's workflow"),
  )
    .option("--branch <name>", "the branch that the watchdog watches (default: the remote's default branch)")
    .option("--state-branch <name>", `the branch that is made for the jobs (default: ${STATE_BRANCH})`)
    .option("--on-main", "keep the jobs on the default branch, beside the code")
    .option("--first-job <job_id>", "add a job to try the set-up with")
    .action(async (flags: InitFlags) => {
      refuseInPullRequest(environment);
      const place = await openSetUp(environment.cwd, environment.env);
      const plan = await planFor(place, flags, environment);
      const taken = takenBy(plan, place);
      if (taken !== undefined) {
        report(reportAnswer(refusal("EXISTS", "", taken), "", environment));
        return;
      }
      if (plan.stateBranch !== undefined) await place.requireNoBranch(plan.stateBranch);
      // All directories before the first file: where one cannot be made, no half of a set-up is left behind.
      for (const path of plan.files.keys()) makeDirectory(dirname(join(place.root, path)));
      if (plan.stateBranch !== undefined) await place.makeBranch(plan.stateBranch, plan.onStateBranch);
      for (const [path, text] of plan.files) writeFileSync(join(place.root, path), text);
      const kept = plan.stateBranch === undefined ? [] : removeMoved(place.root, plan);
      const leftToDo = stepsLeft(place, plan, kept);
      const files = [...plan.files.keys()];
      const branch = plan.stateBranch ?? place.defaultBranch;
      const record = { ok: true, state: "INITIALIZED", branch, files, moved_jobs: plan.moved.size, left_to_do: leftToDo };
      const steps = leftToDo.map((line, i) => `${i + 1}. ${line}\n`).join("");
      const text = () => `made ${files.join(", ")}\njobs: ${branch}, ${plan.moved.size} moved there\n\nLeft to do:\n${steps}`;
      report({ record, text, exit: EXIT.done });
    });
}

async function planFor(place: SetUpPlace, flags: InitFlags, { cwd, now }: Environment): Promise<SetUpPlan> {
  const { root, settings, config, defaultBranch } = place;
  const jobsDir = flags.jobsDir === undefined ? settings.jobs_dir : inside(root, resolve(cwd, flags.jobsDir));
  const pagesDir = settings.pages_dir;
  const stateBranch = flags.onMain ? undefined : (flags.stateBranch ?? STATE_BRANCH);
  const found = stateBranch === undefined ? new Map<string, Buffer>() : await place.readJobFiles();
  // A broken file that is no text cannot be carried over; it stays where it is, for its owner to mend.
  const moved = new Map([...found].filter(([, bytes]) => isUtf8(bytes)));
  const program = findPinnedProgram(root);
  const seed = flags.firstJob === undefined ? [] : [[`${flags.firstJob}.json`, firstJob(flags.firstJob, now())] as const];
  const besideJobs = [["README.md", JOBS_README] as const, ...seed].map(([name, text]) => [`${jobsDir}/${name}`, text] as const);
  const git = { ...config.git, ...(stateBranch !== undefined && { branch: stateBranch }) };
  const newConfig = {
    ...config,
    jobs_dir: jobsDir,
    pages_dir: pagesDir,
    store: "git",
    ...(Object.keys(git).length > 0 && { git }),
  };
  requireConfig(newConfig, "what init would write");
  const watched = [...(stateBranch === undefined ? [jobsDir] : []), pagesDir];
  const local = new Map([
    [CONFIG_FILE, `${JSON.stringify(newConfig, null, 2)}\n`],
    ...(stateBranch === undefined ? ([[`${jobsDir}/.gitignore`, "_last_tick.json\n"], ...besideJobs] as const) : []),
    [`${pagesDir}/README.md`, PAGES_README],
    [WORKFLOW_FILE, workflowFor({ branch: flags.branch ?? defaultBranch, watched, program })],
  ]);
  return {
    jobsDir,
    stateBranch,
    // What somebody wrote beside jobs and pages stays; the config is the one file that is written over.
    files: new Map([...local].filter(([path]) => path === CONFIG_FILE || !isKept(root, path))),
    onStateBranch: new Map([
      ...besideJobs,
      ...[...moved].map(([name, bytes]) => [`${jobsDir}/${name}`, bytes.toString()] as const),
    ]),
    moved,
    program,
    hasFirstJob: seed.length > 0,
  };
}

/** A README or an ignore file that somebody has there already serves as well as ours. */
function isKept(root: string, path: string): boolean {
  return /(?:README\.md|\.gitignore)$/.test(path) && existsSync(join(root, path));
}

/** Why nothing may be set up here: in words, or undefined where it may. */
function takenBy(plan: SetUpPlan, { root, config }: SetUpPlace): string | undefined {
  if (config.store === "git" && (plan.stateBranch === undefined || config.git?.branch !== undefined)) {
    const branch = config.git?.branch ?? "the default branch";
    return `${CONFIG_FILE} is there already, and keeps the jobs on ${branch}; nothing was written. Change it by hand, or remove it first`;
  }
  const others = [...plan.files.keys()].filter((path) => path !== CONFIG_FILE && existsSync(join(root, path)));
  if (others.length === 0) return undefined;
  const are = others.length === 1 ? "is" : "are";
  return `${others.join(", ")} ${are} there already; nothing was written. Remove what you want made anew`;
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

function stepsLeft({ defaultBranch }: SetUpPlace, plan: SetUpPlan, kept: readonly string[]): readonly string[] {
  const { stateBranch, moved, program, hasFirstJob } = plan;
  const old = `these jobs differ from those that were moved to ${stateBranch}; compare and remove them: ${kept.join(", ")}`;
  return [
    ...(kept.length > 0 ? [old] : []),
    ...(program.pin === undefined ? [] : [program.pin]),
    `Commit and push these files to ${defaultBranch}. Until then nobody goes by them.`,
    ...(moved.size > 0
      ? [
          "If git then reports a conflict in a job's file, that job moved meanwhile: carry its change over to the new branch by hand.",
        ]
      : []),
    "Choose an ntfy topic with a name that nobody guesses, and save its address as the repository secret HARNESS_WAKE_NTFY_URLS, like https://ntfy.sh/<topic>.",
    "If the topic needs a token, save it as the repository secret NTFY_TOKEN.",
    stateBranch === undefined
      ? "If the branch is protected, let github-actions push to it, or keep the jobs on a branch of their own: run init without --on-main."
      : `If every branch is protected, let github-actions push to ${stateBranch}.`,
    ...(hasFirstJob
      ? []
      : ["Create a first job: harness-wake create <job_id> --owner <NAME> --harness <name> --objective <line> --within 2d"]),
  ];
}

/** A directory as config names it. Throws JobError USAGE for one that is not inside the repository. */
function inside(root: string, directory: string): string {
  const path = relative(root, directory).replaceAll(sep, "/");
  if (path !== "" && !/^\.\.(?:\/|$)/.test(path) && !isAbsolute(path)) return path;
  throw new JobError("USAGE", `${directory}: is not a directory inside ${root}; name one like wake_jobs`);
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

const JOBS_README =
  "# Jobs of sleeping agents\n\nOne JSON file per job, written by harness-wake. Look with `harness-wake list`, change with its verbs.\n";
const PAGES_README =
  "# Results\n\nA job is done when its page `<result_address>.md` stands here, at the head of the default branch.\n";
