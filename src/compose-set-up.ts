import { readdirSync } from "node:fs";
import { join } from "node:path";
import { authorFrom, DEFAULT_REMOTE, jobsPathIn } from "./compose.ts";
import type { Config } from "./config/config.ts";
import { findPlace } from "./config/place.ts";
import { isRepository } from "./config/repository.ts";
import type { Settings } from "./config/settings.ts";
import { errnoOf, ioError } from "./errors/io-error.ts";
import { JobError } from "./errors/job-error.ts";
import { systemClock } from "./facts/clock.ts";
import { randomToken } from "./facts/ids.ts";
import type { EnvironmentVariables } from "./facts/process-environment.ts";
import { readBoundedFile } from "./facts/read-bounded-file.ts";
import { commitFiles, type NewCommit, signCommit } from "./git/commit-files.ts";
import { fetchCommit } from "./git/fetch.ts";
import type { Git } from "./git/git.ts";
import { openGit } from "./git/open-git.ts";
import { pushCommit } from "./git/push.ts";
import { readCommittedDirectory } from "./git/read-directory.ts";
import { askBranch, askDefaultBranch, listRemotes, whyNotOne } from "./git/remote.ts";
import { JOB_FILE_BYTES_MAX } from "./job/limits.ts";
import { commitMessage } from "./store/commit-message.ts";
import { isJobFileName } from "./store/job-file.ts";
import { RefusedPush } from "./store/refused-push.ts";

/** A repository in which a fleet is to live, and its remote. */
export interface SetUpPlace {
  readonly root: string;
  /** What its config says now, and with it all that nobody says. */
  readonly config: Config;
  readonly settings: Settings;
  readonly defaultBranch: string;
  /** The files of the jobs that are there already, by their names, as their store has them now. */
  readJobFiles(): Promise<ReadonlyMap<string, Buffer>>;
  /** Throws JobError CONFIG where the remote has a branch of that name. */
  requireNoBranch(branch: string): Promise<void>;
  /** Makes a branch on the remote that holds these files, by their paths, and no history. Throws as {@link requireNoBranch} does. */
  makeBranch(branch: string, files: ReadonlyMap<string, string>): Promise<void>;
}

/**
 * Looks at the repository that one stands in, to set it up. Throws JobError CONFIG where it is none, or has no remote that can
 * carry a fleet; REMOTE_UNAVAILABLE where the remote does not answer.
 */
export async function openSetUp(dir: string, env: EnvironmentVariables): Promise<SetUpPlace> {
  const place = findPlace({ dir }, env);
  const { root, settings } = place;
  if (!isRepository(root)) throw config(`${root}: is not a git repository; make it one with git init, and give it a remote`);
  const git = openGit({ directory: root, env });
  const remote = settings.git.remote ?? DEFAULT_REMOTE;
  await requireRemote(git, remote);
  const head = await askDefaultBranch(git, remote);
  if (head.state === "failed") throw unavailable(remote, head.why);
  if (head.state === "absent") {
    throw config(`the remote "${remote}" has no branch yet; push a first commit: git push -u ${remote} HEAD`);
  }
  return {
    root,
    config: place.readConfigs().own,
    settings,
    defaultBranch: head.value.branch,
    readJobFiles: async () =>
      settings.store === "git"
        ? committedJobFiles(git, remote, settings.git.branch ?? head.value.branch, jobsPathIn(place))
        : localJobFiles(place.jobsDirectory),
    requireNoBranch: async (branch) => {
      if ((await headOf(git, remote, branch)) !== undefined) throw taken(remote, branch);
    },
    makeBranch: (branch, files) => makeBranch(git, remote, branch, files, settings, env),
  };
}

async function requireRemote(git: Git, name: string): Promise<void> {
  const remotes = await listRemotes(git);
  if (remotes.state === "failed") throw new JobError("IO", `git cannot list its remotes: ${remotes.why}. Nothing was changed`);
  const remote = remotes.state === "found" ? remotes.value.find((one) => one.name === name) : undefined;
  if (remote === undefined) {
    const why = "a watchdog and agents on other machines meet at a remote";
    throw config(`there is no git remote "${name}" here, and ${why}; add it: git remote add ${name} <address>`);
  }
  const why = whyNotOne(remote);
  if (why !== undefined) throw config(`${why}. Nothing was changed`);
}

function localJobFiles(directory: string): ReadonlyMap<string, Buffer> {
  const files = new Map<string, Buffer>();
  for (const name of namesIn(directory).filter(isJobFileName)) {
    const found = readBoundedFile(join(directory, name), JOB_FILE_BYTES_MAX);
    if (found.kind === "content") files.set(name, found.bytes);
  }
  return files;
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory).sort();
  } catch (cause) {
    if (errnoOf(cause) === "ENOENT") return [];
    throw ioError(directory, cause);
  }
}

async function committedJobFiles(git: Git, remote: string, branch: string, directory: string) {
  const head = await headOf(git, remote, branch);
  if (head === undefined) return new Map<string, Buffer>();
  const here = await fetchCommit(git, remote, head);
  if (here.state !== "found")
    throw unavailable(remote, here.state === "failed" ? here.why : `${head} is not in what was fetched`);
  const files = await readCommittedDirectory(git, head, directory, isJobFileName, JOB_FILE_BYTES_MAX);
  if (files.state === "failed") throw unavailable(remote, files.why);
  return files.state === "found" ? files.value : new Map<string, Buffer>();
}

async function headOf(git: Git, remote: string, branch: string): Promise<string | undefined> {
  const head = await askBranch(git, remote, branch);
  if (head.state === "failed") throw unavailable(remote, head.why);
  return head.state === "found" ? head.value : undefined;
}

async function makeBranch(
  git: Git,
  remote: string,
  branch: string,
  files: ReadonlyMap<string, string>,
  settings: Settings,
  env: EnvironmentVariables,
): Promise<void> {
  const commit: NewCommit = {
    parent: undefined,
    message: commitMessage([`set up ${branch}`], randomToken()),
    author: authorFrom(env),
    at: systemClock.now(),
    files: [...files].map(([path, text]) => ({ path, text, isExecutable: false })),
  };
  const unsigned = await commitFiles(git, commit);
  const made = unsigned.state === "found" && settings.git.sign ? await signCommit(git, unsigned.value, commit) : unsigned;
  if (made.state === "failed") throw new JobError("IO", `git cannot make a commit: ${made.why}. Nothing was changed`);
  const pushed = await pushCommit(git, remote, branch, made.value);
  switch (pushed.state) {
    case "moved":
      return;
    case "behind":
      throw taken(remote, branch);
    case "refused":
    case "denied":
      throw new RefusedPush(remote, branch, { why: pushed.why, isAboutBranch: true });
    case "unknown":
    case "forced":
      throw unavailable(remote, `${pushed.why}; see whether the branch ${branch} is there now`);
  }
}

function taken(remote: string, branch: string): JobError {
  return config(`the remote "${remote}" has a branch ${branch} already; name another with --state-branch, or remove it there`);
}

function config(message: string): JobError {
  return new JobError("CONFIG", message);
}

function unavailable(remote: string, why: string): JobError {
  return new JobError("REMOTE_UNAVAILABLE", `the git remote "${remote}" cannot be reached: ${why}`);
}
