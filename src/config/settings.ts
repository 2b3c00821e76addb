import { type Config, requireConfig } from "./config.ts";

/** A config with nothing left open: flag over environment over file over default (contract §9). */
export interface Settings {
  readonly jobs_dir: string;
  readonly pages_dir: string;
  readonly store: "file" | "git";
  readonly ntfy: { readonly urls: readonly string[]; readonly token_env: string | undefined; readonly timeout_seconds: number };
  readonly git: {
    readonly remote: string | undefined;
    readonly branch: string | undefined;
    readonly pages_branch: string | undefined;
    readonly sign: boolean;
  };
  readonly holds: NonNullable<Config["holds"]>;
}

type Environment = Readonly<Record<string, string | undefined>>;

const DEFAULT_NTFY_TIMEOUT_SECONDS = 10;

/** Merges what the environment says over what the file says. Throws JobError CONFIG for a value that breaks a rule. */
export function settingsFrom(file: Config, env: Environment): Settings {
  const said = configFromEnvironment(env);
  const over = Object.keys(said).length === 0 ? {} : requireConfig(said, "environment (HARNESS_WAKE_*)");
  const git = { ...file.git, ...over.git };
  const ntfy = { ...file.ntfy, ...over.ntfy };
  return {
    jobs_dir: over.jobs_dir ?? file.jobs_dir ?? "wake_jobs",
    pages_dir: over.pages_dir ?? file.pages_dir ?? "p",
    store: over.store ?? file.store ?? "file",
    ntfy: {
      urls: ntfy.urls ?? [],
      token_env: ntfy.token_env,
      timeout_seconds: ntfy.timeout_seconds ?? DEFAULT_NTFY_TIMEOUT_SECONDS,
    },
    git: { remote: git.remote, branch: git.branch, pages_branch: git.pages_branch, sign: git.sign ?? false },
    holds: file.holds ?? {},
  };
}

/** Holds are missing on purpose: no environment variable lifts one, or adds one that a colleague would not see. */
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
