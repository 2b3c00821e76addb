import { existsSync, mkdirSync, realpathSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { ioError } from "../../errors/io-error.ts";
import { JobError } from "../../errors/job-error.ts";
import type { EnvironmentVariables } from "../../facts/process-environment.ts";
import type { Git } from "../../git/git.ts";
import { complaintOf } from "../../git/git-words.ts";
import { openGit } from "../../git/open-git.ts";
import type { Mount } from "../enclosure/mount.ts";

/** The owner's repository, as it was found before anything ran in it. All directories are absolute, links resolved. */
export interface Repository {
  /** Runs in the checkout. */
  readonly git: Git;
  /** Objects, refs, configuration, hooks: what all worktrees of a repository share. */
  readonly common: string;
  /** The checkout's own part; the common one where the checkout is not a linked worktree. */
  readonly own: string;
  /** The top of the work tree; undefined for a bare repository. */
  readonly top: string | undefined;
}

export interface RepositoryOptions {
  /** A directory in the checkout. */
  readonly directory: string;
  readonly env: EnvironmentVariables;
}

/** Open it once, when a worker starts, before anything runs. Throws JobError CONFIG outside of a git repository. */
export async function openRepository({ directory, env }: RepositoryOptions): Promise<Repository> {
  const git = openGit({ directory, env });
  const asked = await git.run(["rev-parse", "--path-format=absolute", "--git-common-dir", "--git-dir"]);
  const [common, own] = asked.stdout.split("\n");
  if (asked.exit_code !== 0 || !common || !own) {
    const why = complaintOf(asked);
    throw new JobError("CONFIG", `a worktree needs a git repository: ${why}. Run inside one, or take --workspace here`);
  }
  const top = await git.run(["rev-parse", "--path-format=absolute", "--show-toplevel"]);
  return {
    git,
    common: realpathSync(common),
    own: realpathSync(own),
    top: top.exit_code === 0 ? realpathSync(top.stdout.trimEnd()) : undefined,
  };
}

/** What git runs, or takes its orders from; and every other worktree's part, which holds pointers to such places. */
const OWNERS_PARTS = ["config", "config.worktree", "hooks", "info", "modules", "worktrees"];

/** Of these, the directories that git does without; one that is not there could be made by the run. */
const MADE_WHERE_MISSING = ["hooks", "info", "modules"];

/**
 * The parts of a repository as a run may touch them: it commits, fetches and pushes, and cannot change what git will run
 * for the owner. `own` is git's directory for the run's checkout.
 */
export async function gitMounts({ git, common }: Repository, own: string): Promise<readonly Mount[]> {
  for (const name of MADE_WHERE_MISSING) makeDirectory(join(common, name));
  const parts = [...OWNERS_PARTS.map((name) => join(common, name)), ...(await configurationElsewhere(git))];
  return [
    { path: common, access: "write" },
    ...parts.filter((path) => existsSync(path)).map((path): Mount => ({ path: realpathSync(path), access: "read" })),
    ...(own === common ? [] : [{ path: own, access: "write" } as const]),
  ];
}

function makeDirectory(path: string): void {
  try {
    mkdirSync(path, { recursive: true });
  } catch (cause) {
    throw ioError(path, cause);
  }
}

/** The user's own configuration files with what they include, and the directory of hooks where it is named. */
async function configurationElsewhere(git: Git): Promise<readonly string[]> {
  const listed = await git.run(["config", "--list", "--show-origin", "--name-only", "-z"]);
  const files = listed.stdout.split("\0").flatMap((entry) => (entry.startsWith("file:") ? [entry.slice("file:".length)] : []));
  // Not asked of our own git, which names a place for hooks that is none.
  const hooks = await git.run(["config", "--type=path", "--get-all", "core.hooksPath"]);
  return [...new Set([...files, ...hooks.stdout.split("\n")])].filter((path) => isAbsolute(path) && path !== "/dev/null");
}
