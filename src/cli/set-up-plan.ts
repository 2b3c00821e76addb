import { isUtf8 } from "node:buffer";
import { existsSync } from "node:fs";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import type { SetUpPlace } from "../compose-set-up.ts";
import { CONFIG_FILE, requireConfig } from "../config/config.ts";
import { JobError } from "../errors/job-error.ts";
import type { Environment } from "./environment.ts";
import { firstJob } from "./first-job.ts";
import { schemaReference } from "./schema-reference.ts";
import type { WorkflowAgent } from "./worker-job.ts";
import { planWorkflow, WORKFLOW_FILE, type WorkflowChoices, type WorkflowPlan } from "./workflow-plan.ts";

/** What `init` is asked for. */
export interface SetUpWishes {
  readonly jobsDir?: string;
  readonly branch?: string;
  readonly stateBranch?: string;
  readonly onMain?: boolean;
  readonly firstJob?: string;
  readonly worker?: WorkflowAgent;
}

/** What `init` is going to do. */
export interface SetUpPlan {
  /** `fleet`: all that a fleet needs. `worker`: the fleet is there already, and its workflow gets an agent. */
  readonly kind: "fleet" | "worker";
  /** From the top of the repository. */
  readonly jobsDir: string;
  /** The branch of the jobs. */
  readonly branch: string;
  /** Whether that branch is made for them. */
  readonly makesBranch: boolean;
  /** Files to write into the work tree, by their paths from its top. */
  readonly files: ReadonlyMap<string, string>;
  /** All that the new branch holds. */
  readonly onStateBranch: ReadonlyMap<string, string>;
  /** Job files that go over to it, by their names. */
  readonly moved: ReadonlyMap<string, Buffer>;
  readonly choices: WorkflowChoices;
  readonly workflow: WorkflowPlan;
  readonly hasFirstJob: boolean;
}

export const STATE_BRANCH = "wake-state";

/** Throws JobError USAGE, SCHEMA or CONFIG for wishes that cannot be granted. Looks only. */
export async function planSetUp(place: SetUpPlace, wishes: SetUpWishes, environment: Environment): Promise<SetUpPlan> {
  const { worker, jobsDir, stateBranch, firstJob: seed } = wishes;
  const wantsMore = (jobsDir ?? stateBranch ?? seed) !== undefined;
  return isSetUp(place, wishes) && worker !== undefined && !wantsMore
    ? planWorkerAlone(place, wishes)
    : planFleet(place, wishes, environment);
}

/** Whether the jobs are on the git store already, where these wishes would put them. */
export function isSetUp({ config }: SetUpPlace, { onMain }: SetUpWishes): boolean {
  return config.store === "git" && (config.git?.branch !== undefined || onMain === true);
}

function planWorkerAlone(place: SetUpPlace, wishes: SetUpWishes): SetUpPlan {
  const { settings, defaultBranch } = place;
  const jobsBranch = settings.git.branch;
  const choices = workflowChoices(place, wishes, settings.jobs_dir, jobsBranch === undefined);
  const workflow = planWorkflow(choices);
  return {
    kind: "worker",
    jobsDir: settings.jobs_dir,
    branch: jobsBranch ?? defaultBranch,
    makesBranch: false,
    files: new Map([[WORKFLOW_FILE, workflow.text]]),
    onStateBranch: new Map(),
    moved: new Map(),
    choices,
    workflow,
    hasFirstJob: false,
  };
}

async function planFleet(place: SetUpPlace, wishes: SetUpWishes, { cwd, now }: Environment): Promise<SetUpPlan> {
  const { root, settings, config, defaultBranch } = place;
  const jobsDir = wishes.jobsDir === undefined ? settings.jobs_dir : inside(root, resolve(cwd, wishes.jobsDir));
  const pagesDir = settings.pages_dir;
  const stateBranch = wishes.onMain ? undefined : (wishes.stateBranch ?? STATE_BRANCH);
  const found = stateBranch === undefined ? new Map<string, Buffer>() : await place.readJobFiles();
  // A broken file that is no text cannot be carried over; it stays where it is, for its owner to mend.
  const moved = new Map([...found].filter(([, bytes]) => isUtf8(bytes)));
  const choices = workflowChoices(place, wishes, jobsDir, stateBranch === undefined);
  const workflow = planWorkflow(choices);
  const seed =
    wishes.firstJob === undefined
      ? []
      : [
          [
            `${wishes.firstJob}.json`,
            firstJob(wishes.firstJob, now(), schemaReference("job", root, join(root, jobsDir))),
          ] as const,
        ];
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
  const local = new Map([
    [CONFIG_FILE, `${JSON.stringify({ $schema: schemaReference("config", root, root), ...newConfig }, null, 2)}\n`],
    ...(stateBranch === undefined ? ([[`${jobsDir}/.gitignore`, "_last_tick.json\n"], ...besideJobs] as const) : []),
    [`${pagesDir}/README.md`, PAGES_README],
    [WORKFLOW_FILE, workflow.text],
  ]);
  return {
    kind: "fleet",
    jobsDir,
    branch: stateBranch ?? defaultBranch,
    makesBranch: stateBranch !== undefined,
    // What somebody wrote beside jobs and pages stays; the config is the one file that is written over.
    files: new Map([...local].filter(([path]) => path === CONFIG_FILE || !isKept(root, path))),
    onStateBranch: new Map([
      ...besideJobs,
      ...[...moved].map(([name, bytes]) => [`${jobsDir}/${name}`, bytes.toString()] as const),
    ]),
    moved,
    choices,
    workflow,
    hasFirstJob: seed.length > 0,
  };
}

function workflowChoices(place: SetUpPlace, wishes: SetUpWishes, jobsDir: string, areJobsWatched: boolean): WorkflowChoices {
  const { root, config, settings, defaultBranch } = place;
  return {
    root,
    branch: wishes.branch ?? defaultBranch,
    watched: [...(areJobsWatched ? [jobsDir] : []), settings.pages_dir],
    hasTopic: (config.ntfy?.urls ?? []).length > 0,
    worker: wishes.worker,
  };
}

/** A README or an ignore file that somebody has there already serves as well as ours. */
function isKept(root: string, path: string): boolean {
  return /(?:README\.md|\.gitignore)$/.test(path) && existsSync(join(root, path));
}

/** A directory as config names it. Throws JobError USAGE for one that is not inside the repository. */
function inside(root: string, directory: string): string {
  const path = relative(root, directory).replaceAll(sep, "/");
  if (path !== "" && !/^\.\.(?:\/|$)/.test(path) && !isAbsolute(path)) return path;
  throw new JobError("USAGE", `${directory}: is not a directory inside ${root}; name one like wake_jobs`);
}

const JOBS_README =
  "# Jobs of sleeping agents\n\nOne JSON file per job, written by harness-wake. Look with `harness-wake list`, change with its verbs.\n";
const PAGES_README =
  "# Results\n\nA job is done when its page `<result_address>.md` stands here, at the head of the default branch.\n";
