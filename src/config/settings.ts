import { JobError } from "../errors/job-error.ts";
import { CONFIG_FILE, type Config, requireConfig } from "./config.ts";

/**
 * A config with nothing left open: flags override the environment, which overrides the file (contract §9). Holds are not among
 * them: no variable lifts one, or adds one that a colleague would not see.
 */
export interface Settings {
  readonly jobs_dir: string;
  readonly pages_dir: string;
  readonly store: "file" | "git";
  readonly ntfy: {
    /** Whether the fleet mails: the file has an `ntfy` section, wherever its urls come from, or a topic is given (contract §3). */
    readonly isUsed: boolean;
    readonly urls: readonly string[];
    readonly token_env: string | undefined;
    readonly timeout_seconds: number;
  };
  readonly git: {
    readonly remote: string | undefined;
    readonly branch: string | undefined;
    readonly pages_branch: string | undefined;
    readonly sign: boolean;
  };
}

type Environment = Readonly<Record<string, string | undefined>>;

const DEFAULT_NTFY_TIMEOUT_SECONDS = 10;

/** Merges what the environment says over what the file says. Throws JobError CONFIG for a value that breaks a rule. */
export function settingsFrom(file: Config, env: Environment): Settings {
  const said = configFromEnvironment(env);
  const over = Object.keys(said).length === 0 ? {} : requireConfig(said, "environment (HARNESS_WAKE_*)");
  if (file.store === "git" && over.store === "file") throw twoTruths("HARNESS_WAKE_STORE");
  const git = { ...file.git, ...over.git };
  const ntfy = { ...file.ntfy, ...over.ntfy };
  return {
    jobs_dir: over.jobs_dir ?? file.jobs_dir ?? "wake_jobs",
    pages_dir: over.pages_dir ?? file.pages_dir ?? "p",
    store: over.store ?? file.store ?? "file",
    ntfy: {
      isUsed: file.ntfy !== undefined || over.ntfy?.urls !== undefined,
      urls: ntfy.urls ?? [],
      token_env: ntfy.token_env,
      timeout_seconds: ntfy.timeout_seconds ?? DEFAULT_NTFY_TIMEOUT_SECONDS,
    },
    git: { remote: git.remote, branch: git.branch, pages_branch: git.pages_branch, sign: git.sign ?? false },
  };
}

/** A repository has one truth: what is "git" in its config is "file" for nobody (contract §7). */
export function twoTruths(source: string): JobError {
  const message = `${source} says "file", but ${CONFIG_FILE} says that this fleet lives on the git remote; leave "file" out, or change store there for every machine`;
  return new JobError("CONFIG", message, { field: "store" });
}

function configFromEnvironment(env: Environment): object {
  const urls = env["HARNESS_WAKE_NTFY_URLS"];
  const timeout = env["HARNESS_WAKE_NTFY_TIMEOUT_SECONDS"];
  return (
    pruned({
      jobs_dir: env["HARNESS_WAKE_JOBS_DIR"],
      pages_dir: env["HARNESS_WAKE_PAGES_DIR"],
      store: env["HARNESS_WAKE_STORE"],
      ntfy: pruned({
        urls: urls ? urls.split(",").map((url) => url.trim()) : undefined,
        token_env: env["HARNESS_WAKE_NTFY_TOKEN_ENV"],
        timeout_seconds: timeout ? Number(timeout) : undefined,
      }),
      git: pruned({
        remote: env["HARNESS_WAKE_GIT_REMOTE"],
        branch: env["HARNESS_WAKE_GIT_BRANCH"],
        pages_branch: env["HARNESS_WAKE_GIT_PAGES_BRANCH"],
      }),
    }) ?? {}
  );
}

/** Leaves out what is not said; in a workflow an unset variable arrives as an empty one. Undefined where nothing is left. */
function pruned(values: Readonly<Record<string, unknown>>): object | undefined {
  const said = Object.entries(values).filter(([, value]) => value !== undefined && value !== "");
  return said.length === 0 ? undefined : Object.fromEntries(said);
}
