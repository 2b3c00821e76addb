import { realpathSync } from "node:fs";
import { JobError } from "../../errors/job-error.ts";
import type { EnvironmentVariables } from "../../facts/process-environment.ts";
import type { Git } from "../../git/git.ts";
import { complaintOf } from "../../git/git-words.ts";
import { openGit } from "../../git/open-git.ts";

/** The owner's repository, as it was found before anything ran in it. All directories are absolute, links resolved. */
export interface Repository {
  /** Runs in the checkout. What runs write into git's directory does not lead it to another configuration. */
  readonly git: Git;
  /** The same without that: for a git directory of our own. */
  readonly plainGit: Git;
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
  const plainGit = openGit({ directory, env });
  const asked = await plainGit.run(["rev-parse", "--path-format=absolute", "--git-common-dir", "--git-dir"]);
  const [common, own] = asked.stdout.split("\n");
  if (asked.exit_code !== 0 || !common || !own) {
    const why = complaintOf(asked);
    throw new JobError("CONFIG", `a worktree needs a git repository: ${why}. Run inside one, or take --workspace here`);
  }
  const top = await plainGit.run(["rev-parse", "--path-format=absolute", "--show-toplevel"]);
  const commonDirectory = realpathSync(common);
  return {
    git: pinned(plainGit, commonDirectory),
    plainGit,
    common: commonDirectory,
    own: realpathSync(own),
    top: top.exit_code === 0 ? realpathSync(top.stdout.trimEnd()) : undefined,
  };
}

/**
 * Git that takes the repository's configuration and objects from where they were when the worker started. A run may make
 * files in git's directory, and one named `commondir` would lead every git there to a repository of the run's choice.
 */
function pinned(git: Git, common: string): Git {
  return { ...git, run: (args, options) => git.run(args, { ...options, env: { ...options?.env, GIT_COMMON_DIR: common } }) };
}
