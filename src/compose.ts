import { existsSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { CONFIG_FILE, type Config, parseConfig, readConfigFile } from "./config/config.ts";
import { holdsInForce } from "./config/holds.ts";
import { type Settings, settingsFrom } from "./config/settings.ts";
import { JobError } from "./errors/job-error.ts";
import { type Clock, clockAt, systemClock } from "./facts/clock.ts";
import { randomIds } from "./facts/ids.ts";
import { type EnvironmentVariables, environmentVariables, workingDirectory } from "./facts/process-environment.ts";
import type { Fleet } from "./fleet.ts";
import type { Git } from "./git/git.ts";
import { readFileAtHead } from "./git/git-head.ts";
import { openGit } from "./git/open-git.ts";
import { ownersHolds } from "./holds/holds.ts";
import { proxiesOf, sparingLoopback } from "./http/proxies.ts";
import type { Seconds } from "./job/time.ts";
import type { Inbox, InboxTrouble } from "./mail/inbox.ts";
import type { Mailer } from "./mail/mailer.ts";
import { NtfyInbox } from "./mail/ntfy-inbox.ts";
import { NtfyMailer } from "./mail/ntfy-mailer.ts";
import { GitHeadPages } from "./pages/git-head-pages.ts";
import { FileJobStore } from "./store/file-job-store.ts";
import { GitJobStore } from "./store/git-job-store.ts";

export interface FleetOptions {
  /** A directory in the fleet's repository; default: where the process runs. */
  readonly dir?: string;
  /** Where job files are, relative to `dir`; default: as config says, relative to the repository's root. */
  readonly jobsDir?: string;
  /** A config file to use instead of `harness-wake.json` at the root. */
  readonly configFile?: string;
  /** Where job files are read and written; default: as config says. */
  readonly store?: "file" | "git";
  /** Makes the branch that config names where the remote does not have it: for a first job. */
  readonly newBranch?: boolean;
  /** Stands still at this moment instead of following the clock. */
  readonly now?: Seconds;
  readonly env?: EnvironmentVariables;
}

/** A fleet built from config, with what its builder found out on the way. */
export interface OpenedFleet extends Fleet {
  readonly settings: Settings;
  /** The repository's root: where config is looked for and git runs. */
  readonly root: string;
  readonly jobsDirectory: string;
  /** Which store this is. Under `git` nothing of the checkout is written. */
  readonly storeKind: "file" | "git";
  /** The mailer of the configured ntfy topics. Throws JobError CONFIG where there is none, or its token is missing. */
  openMailer(): Mailer;
  /** The inbox of the same topics; `onTrouble` is told of a host that does not give mail. Throws as {@link openMailer} does. */
  openInbox(onTrouble?: (trouble: InboxTrouble) => void): Inbox;
}

/**
 * Opens the fleet of a repository: the one place where real adapters are built from config. Starts nothing and asks git
 * nothing, but where the local config claims to lift a hold. Throws JobError CONFIG.
 */
export async function openFleet(options: FleetOptions = {}): Promise<OpenedFleet> {
  const env = options.env ?? environmentVariables();
  const dir = resolve(options.dir ?? workingDirectory());
  const root = findRoot(options.jobsDir === undefined ? dir : resolve(dir, options.jobsDir));
  const rootConfig = readConfigFile(join(root, CONFIG_FILE)) ?? {};
  const config = options.configFile === undefined ? rootConfig : requireConfigFile(resolve(dir, options.configFile));
  // Another config may add holds, never drop those of the repository's own: no flag lifts a hold.
  const settings = settingsFrom({ ...config, holds: { ...config.holds, ...rootConfig.holds } }, env);
  const jobsDirectory = options.jobsDir === undefined ? join(root, settings.jobs_dir) : resolve(dir, options.jobsDir);
  const git = openGit({ directory: root, env });
  const storeKind = options.store ?? settings.store;
  const head = { git, remote: settings.git.remote, branch: settings.git.pages_branch };
  // Where a lift is looked for is the repository's own to say: a flag or variable that moves git HEAD would lift holds.
  const holdsHead = { git, remote: rootConfig.git?.remote, branch: rootConfig.git?.pages_branch };
  const clock: Clock = options.now === undefined ? systemClock : clockAt(options.now);
  const store =
    storeKind === "git"
      ? new GitJobStore({
          git,
          ...committedAt(settings, root, jobsDirectory),
          newBranch: options.newBranch ?? false,
          clock,
          author: authorFrom(env),
        })
      : new FileJobStore({ directory: jobsDirectory, displayName: displayNameOf(dir, jobsDirectory), clock });
  const rules = await holdsInForce(settings.holds, () => committedHolds(holdsHead));
  return {
    settings,
    root,
    jobsDirectory,
    storeKind,
    store,
    pages: new GitHeadPages({ ...head, pagesDirectory: settings.pages_dir }),
    holds: ownersHolds(store, async () => rules),
    clock,
    ids: randomIds,
    openMailer: () => new NtfyMailer(requireNtfy(settings, env, clock)),
    openInbox: (onTrouble) => new NtfyInbox({ ...requireNtfy(settings, env, clock), onTrouble }),
  };
}

/** What mailer and inbox both need to know. Throws JobError CONFIG where it is not there. */
function requireNtfy({ ntfy }: Settings, env: EnvironmentVariables, clock: Clock) {
  if (ntfy.urls.length === 0) {
    const remedy = `give one as ntfy.urls in ${CONFIG_FILE} or HARNESS_WAKE_NTFY_URLS, like https://ntfy.sh/my-topic`;
    throw new JobError("CONFIG", `there is no ntfy topic to mail to; ${remedy}`, { field: "ntfy.urls" });
  }
  const token = requireToken(ntfy.token_env, env);
  return { urls: ntfy.urls, token, proxies: sparingLoopback(proxiesOf(env)), timeoutMs: ntfy.timeout_seconds * 1000, clock };
}

function requireToken(name: string | undefined, env: EnvironmentVariables): string | undefined {
  if (name === undefined) return undefined;
  const token = env[name];
  if (token) return token;
  throw new JobError("CONFIG", `ntfy.token_env names ${name}, which is not set; set it, or take token_env out`, {
    field: "ntfy.token_env",
  });
}

function requireConfigFile(path: string): Config {
  const config = readConfigFile(path);
  if (config === undefined) throw new JobError("CONFIG", `${path}: is not there; name another config, or none`, { file: path });
  return config;
}

/** The nearest directory upwards that holds a config file or a git repository; where there is none, the start itself. */
function findRoot(start: string): string {
  for (let directory = start; ; directory = dirname(directory)) {
    if (existsSync(join(directory, CONFIG_FILE)) || existsSync(join(directory, ".git"))) return directory;
    if (directory === dirname(directory)) return start;
  }
}

const DEFAULT_REMOTE = "origin";

/** Where a git store keeps the jobs directory: paths in commits are from the top of the repository. */
function committedAt({ git }: Settings, root: string, jobsDirectory: string) {
  let top = root;
  while (!existsSync(join(top, ".git"))) {
    if (top === dirname(top))
      throw new JobError("CONFIG", `${root}: is not in a git repository; a git store needs one with a remote`, { file: root });
    top = dirname(top);
  }
  const directory = displayNameOf(top, jobsDirectory);
  if (directory === "." || directory.startsWith("..") || isAbsolute(directory)) {
    throw new JobError("CONFIG", `${jobsDirectory}: is not a directory inside the git repository ${top}`, {
      file: jobsDirectory,
    });
  }
  return { remote: git.remote ?? DEFAULT_REMOTE, branch: git.branch, sign: git.sign, directory };
}

/** Commits are from whoever git's own variables name, as a workflow sets them for its bot; else from harness-wake. */
function authorFrom(env: EnvironmentVariables): { readonly name: string; readonly email: string } {
  const name = env["GIT_AUTHOR_NAME"] || "harness-wake";
  return { name, email: env["GIT_AUTHOR_EMAIL"] || "harness-wake@users.noreply.github.com" };
}

function displayNameOf(dir: string, jobsDirectory: string): string {
  return (relative(dir, jobsDirectory) || ".").replaceAll("\\", "/");
}

async function committedHolds(head: {
  git: Git;
  remote: string | undefined;
  branch: string | undefined;
}): Promise<Config["holds"]> {
  const committed = await readFileAtHead(head, CONFIG_FILE);
  return committed === undefined ? undefined : parseConfig(committed, `${CONFIG_FILE} at git HEAD`).holds;
}
