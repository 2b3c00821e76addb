import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { refusal } from "../answer.ts";
import { openFleet } from "../compose.ts";
import { CONFIG_FILE } from "../config/config.ts";
import { errnoOf } from "../errors/io-error.ts";
import { JobError } from "../errors/job-error.ts";
import { type CommonOptions, withCommonOptions } from "./common-options.ts";
import { EXIT } from "./exit-code.ts";
import { reportAnswer } from "./report.ts";
import type { Cli } from "./verb.ts";
import { VERSION } from "./version.ts";
import { watchdogWorkflow } from "./watchdog-workflow.ts";

interface InitFlags extends CommonOptions {
  readonly branch: string;
}

export function addInitVerb({ program, environment, report }: Cli): void {
  withCommonOptions(program.command("init").description("set a repository up: directories, config, and the watchdog's workflow"))
    .option("--branch <name>", "the branch that the watchdog watches: the repository's default branch", "main")
    .action(async (flags: InitFlags) => {
      // The repository that one stands in is set up, wherever a mistyped directory leads.
      const { root, settings } = await openFleet({ dir: environment.cwd, env: environment.env });
      const jobsDir = flags.jobsDir === undefined ? settings.jobs_dir : inside(root, resolve(environment.cwd, flags.jobsDir));
      const files = filesFor(jobsDir, settings.pages_dir, flags.branch);
      const taken = Object.keys(files).filter((path) => existsSync(join(root, path)));
      if (taken.length > 0) {
        const message = `${taken.join(", ")} ${taken.length === 1 ? "is" : "are"} there already; nothing was written. Remove what you want made anew`;
        report(reportAnswer(refusal("EXISTS", "", message), "", environment));
        return;
      }
      // All directories before the first file: where one cannot be made, no half of a set-up is left behind.
      for (const path of Object.keys(files)) makeDirectory(dirname(join(root, path)));
      for (const [path, text] of Object.entries(files)) writeFileSync(join(root, path), text, { flag: "wx" });
      const record = { ok: true, state: "INITIALIZED", files: Object.keys(files), left_to_do: LEFT_TO_DO };
      const text = () =>
        `made ${record.files.join(", ")}\n\nLeft to do:\n${LEFT_TO_DO.map((line, i) => `${i + 1}. ${line}\n`).join("")}`;
      report({ record, text, exit: EXIT.done });
    });
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

const LEFT_TO_DO = [
  "Commit and push these files.",
  "Choose an ntfy topic with a name that nobody guesses, and save its address as the repository secret HARNESS_WAKE_NTFY_URLS, like https://ntfy.sh/<topic>.",
  "If the topic needs a token, save it as the repository secret NTFY_TOKEN.",
  'If the branch is protected, let github-actions push to it, or name another branch for the jobs: "git": {"branch": "wake-state"} in harness-wake.json.',
  "Create a first job: harness-wake create <job_id> --owner <NAME> --harness <name> --objective <line> --within 2d",
];

function filesFor(jobsDir: string, pagesDir: string, branch: string): Readonly<Record<string, string>> {
  const config = { jobs_dir: jobsDir, pages_dir: pagesDir, store: "git" };
  const workflow = { branch, jobsDir, pagesDir, install: undefined, command: `npx --yes harness-wake@${VERSION}` };
  return {
    [CONFIG_FILE]: `${JSON.stringify(config, null, 2)}\n`,
    [`${jobsDir}/.gitignore`]: "_last_tick.json\n",
    [`${jobsDir}/README.md`]:
      "# Jobs of sleeping agents\n\nOne JSON file a job, written by harness-wake. Look with `harness-wake list`, change with its verbs.\n",
    [`${pagesDir}/README.md`]:
      "# Results\n\nA job is done when its page `<result_address>.md` stands here, at the head of the default branch.\n",
    ".github/workflows/job-watchdog.yml": watchdogWorkflow(workflow),
  };
}
