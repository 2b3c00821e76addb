import { relative } from "node:path";
import { CONFIG_FILE } from "./config/config.ts";
import { findPlace, type Place } from "./config/place.ts";
import { isRepository } from "./config/repository.ts";
import { type Settings, settingsFrom, twoTruths } from "./config/settings.ts";
import { JobError } from "./errors/job-error.ts";
import { type Clock, clockAt, systemClock } from "./facts/clock.ts";
import { randomIds } from "./facts/ids.ts";
import { type EnvironmentVariables, environmentVariables } from "./facts/process-environment.ts";
import type { Fleet } from "./fleet.ts";
import { openGit } from "./git/open-git.ts";
import { type Holds, ownersHolds } from "./holds/holds.ts";
import { type OwnersFleet, rulesOfFileStore, rulesOfGitStore } from "./holds/owners-rules.ts";
import { remembered } from "./holds/remembered.ts";
import { proxiesOf, sparingLoopback } from "./http/proxies.ts";
import type { Seconds } from "./job/time.ts";
import type { Inbox, InboxTrouble } from "./mail/inbox.ts";
import type { Mailer } from "./mail/mailer.ts";
import { NtfyInbox } from "./mail/ntfy-inbox.ts";
import { NtfyMailer } from "./mail/ntfy-mailer.ts";
import { GitHeadPages } from "./pages/git-head-pages.ts";
import type { PageOracle } from "./pages/page-oracle.ts";
import { FileJobStore } from "./store/file-job-store.ts";
import type { GitJobStoreOptions } from "./store/git-job-store.ts";
import type { JobStore } from "./store/job-store.ts";

export interface FleetOptions {
  /** A directory in the fleet's repository; default: where the process runs. */
  readonly dir?: string;
  /** Where job files are, relative to `dir`; default: as config says, relative to the repository's root. */
  readonly jobsDir?: string;
  /** A config file to use instead of `harness-wake.json` at the root. */
  readonly configFile?: string;
  /** Goes by what holds where no config says otherwise: to look at the rest while a config is broken. Only with `look`. */
  readonly withoutConfig?: boolean;
  /** Where job files are read and written; default: as config says. What config says is `git` cannot be `file`. */
  readonly store?: "file" | "git";
  /** Makes the branch that config names where the remote does not have it: for a first job. */
  readonly newBranch?: boolean;
  /** For a caller that only looks: under the git store nothing of the clone changes then but its objects. */
  readonly look?: boolean;
  /** Stands still at this moment instead of following the clock. */
  readonly now?: Seconds;
  readonly env?: EnvironmentVariables;
  /** Is told what the fleet is at, in a few words for people who wait; a call that is over at once tells it too. */
  readonly onProgress?: (what: string) => void;
}

/** A fleet built from config, with what its builder found out on the way. */
export interface OpenedFleet extends Fleet {
  readonly settings: Settings;
  /** The repository's root: where config is looked for and git runs. */
  readonly root: string;
  readonly jobsDirectory: string;
  /** Whether this fleet mails its wakes: then each promises mail, whoever ticks (contract §3). */
  readonly promisesMail: boolean;
  /** The mailer of the configured ntfy topics. Throws JobError CONFIG where there is none, or its token is missing. */
  openMailer(): Mailer;
  /** The inbox of the same topics; `onTrouble` is told of a host that does not give mail. Throws as {@link openMailer} does. */
  openInbox(onTrouble?: (trouble: InboxTrouble) => void): Inbox;
}

/**
 * Opens the fleet of a repository: the one place where real adapters are built from config. Starts nothing and asks git
 * nothing. Throws JobError CONFIG.
 */
export async function openFleet(options: FleetOptions = {}): Promise<OpenedFleet> {
  const env = options.env ?? environmentVariables();
  const place = findPlace(options, env);
  const { root, jobsDirectory, settings } = place;
  if (settings.store === "git" && options.store === "file") throw twoTruths("the option store");
  const storeKind = options.store ?? settings.store;
  const clock: Clock = options.now === undefined ? systemClock : clockAt(options.now);
  const git = openGit({ directory: root, env });
  const told = options.onProgress === undefined ? undefined : await tellingPorts(options.onProgress);
  const ownStore =
    storeKind === "git"
      ? await openGitStore({
          git,
          ...committedAt(place),
          newBranch: options.newBranch ?? false,
          leavesRefs: options.look ?? false,
          clock,
          author: authorFrom(env),
        })
      : new FileJobStore({ directory: jobsDirectory, displayName: displayNameOf(place.dir, jobsDirectory), clock });
  const store = told?.store(ownStore) ?? ownStore;
  const pages = new GitHeadPages({
    git,
    remote: settings.git.remote,
    branch: settings.git.pages_branch,
    pagesDirectory: settings.pages_dir,
  });
  return {
    settings,
    root,
    jobsDirectory,
    promisesMail: settings.ntfy.isUsed,
    store,
    pages: told?.pages(pages) ?? pages,
    holds: ownersHolds(store, remembered(HOLDS_MS_MAX, clock, askForRules(place, storeKind, env))),
    clock,
    ids: randomIds,
    openMailer: () => {
      const mailer = new NtfyMailer(requireNtfy(settings, env, clock));
      return told?.mailer(mailer) ?? mailer;
    },
    openInbox: (onTrouble) => new NtfyInbox({ ...requireNtfy(settings, env, clock), onTrouble }),
  };
}

/** Loaded only for a fleet that has one: a tick over files is over before it would be read. */
async function openGitStore(options: GitJobStoreOptions): Promise<JobStore> {
  const { GitJobStore } = await import("./store/git-job-store.ts");
  return new GitJobStore(options);
}

/** Loaded only where somebody waits and watches. */
async function tellingPorts(tell: (what: string) => void) {
  const { ToldJobStore, ToldMailer, ToldPages } = await import("./told-ports.ts");
  return {
    store: (store: JobStore) => new ToldJobStore(store, tell),
    pages: (pages: PageOracle) => new ToldPages(pages, tell),
    mailer: (mailer: Mailer) => new ToldMailer(mailer, tell),
  };
}

/** How long a process that lives on may go by the holds that it knows (contract §5). */
const HOLDS_MS_MAX = 60_000;

/** The rules in force, as the owner's configs say at the time of the call. */
function askForRules(place: Place, storeKind: "file" | "git", env: EnvironmentVariables): Holds["inForce"] {
  const { root, jobsDirectory, settings, readConfigs } = place;
  return async () => {
    const { own, config } = readConfigs();
    const fleet: OwnersFleet = {
      root,
      jobsDirectory,
      // A flag or variable that names another remote must not choose who lifts a hold.
      remote: own.git?.remote,
      storeRemote: settings.git.remote ?? DEFAULT_REMOTE,
      requireSamePlace: (committed) => requireSamePlace(place, settingsFrom(committed, env)),
      openGit: (directory) => openGit({ directory, env }),
      openStrictGit: (directory) => openGit({ directory, env, withoutConfigEnvironment: true }),
    };
    return storeKind === "git" ? rulesOfGitStore(fleet) : rulesOfFileStore(fleet, config.holds ?? {});
  };
}

/**
 * A checkout that is older or newer than what its owner committed would read and write where nobody else looks. What a flag
 * or a variable says was meant. Throws JobError CONFIG.
 */
function requireSamePlace({ settings, chosen }: Place, committed: Settings): void {
  const differing = (
    [
      ["jobs_dir", settings.jobs_dir, committed.jobs_dir],
      ["git.branch", settings.git.branch ?? "the default branch", committed.git.branch ?? "the default branch"],
    ] as const
  ).find(([key, here, there]) => !chosen.includes(key) && here !== there);
  if (differing === undefined) return;
  const [field, here, there] = differing;
  const message = `${CONFIG_FILE}: ${field} is ${here} in this checkout, and ${there} at the head of the default branch, which every machine goes by; pull, or commit and push yours`;
  throw new JobError("CONFIG", message, { file: CONFIG_FILE, field });
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

export const DEFAULT_REMOTE = "origin";

/** Where a git store keeps the jobs directory: paths in commits are from the top of the repository. */
function committedAt({ root, jobsDirectory, settings: { git } }: Place) {
  if (!isRepository(root))
    throw new JobError("CONFIG", `${root}: is not a git repository; a git store needs one with a remote`, { file: root });
  return {
    remote: git.remote ?? DEFAULT_REMOTE,
    branch: git.branch,
    sign: git.sign,
    directory: jobsPathIn({ root, jobsDirectory }),
  };
}

/** The jobs directory from the top of the repository. Throws JobError CONFIG where it is the top itself. */
export function jobsPathIn({ root, jobsDirectory }: Pick<Place, "root" | "jobsDirectory">): string {
  const path = displayNameOf(root, jobsDirectory);
  if (path !== ".") return path;
  const message = `${jobsDirectory}: is the top of the repository; keep jobs in a directory of their own`;
  throw new JobError("CONFIG", message, { file: jobsDirectory });
}

/** Commits are from whoever git's own variables name, as a workflow sets them for its bot; else from harness-wake. */
export function authorFrom(env: EnvironmentVariables): { readonly name: string; readonly email: string } {
  const name = env["GIT_AUTHOR_NAME"] || "harness-wake";
  return { name, email: env["GIT_AUTHOR_EMAIL"] || "harness-wake@users.noreply.github.com" };
}

function displayNameOf(dir: string, jobsDirectory: string): string {
  return (relative(dir, jobsDirectory) || ".").replaceAll("\\", "/");
}
