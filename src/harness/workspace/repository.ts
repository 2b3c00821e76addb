import { realpathSync } from "node:fs";
import { JobError } from "../../errors/job-error.ts";
import type { EnvironmentVariables } from "../../facts/process-environment.ts";
import { commonDirectoryOf } from "../../git/common-directory.ts";
import type { Git } from "../../git/git.ts";
import { complaintOf } from "../../git/git-words.ts";
import { openGit } from "../../git/open-git.ts";

/** The owner's repository, as it was found before anything ran in it. All directories are absolute, links resolved. */
export interface Repository {
  /** Runs in the checkout. */
  readonly git: Git;
  /** Bound to no repository: for a git directory of our own. */
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
  const plainGit = openGit({ directory, env, commonDirectory: null });
  const asked = await plainGit.run(["rev-parse", "--absolute-git-dir"]);
  if (asked.exit_code !== 0) {
    const why = complaintOf(asked);
    throw new JobError("CONFIG", `a worktree needs a git repository: ${why}. Run inside one, or take --workspace here`);
  }
  const own = realpathSync(asked.stdout.trimEnd());
  const common = commonDirectoryOf(own);
  if (common === undefined) {
    const why = "has no objects of its own, and lies in the worktrees of no repository";
    throw new JobError("CONFIG", `${own}: ${why}; work in a clone, or in a worktree that git made`, { file: own });
  }
  const git = openGit({ directory, env, commonDirectory: common });
  const top = await git.run(["rev-parse", "--path-format=absolute", "--show-toplevel"]);
  return { git, plainGit, common, own, top: top.exit_code === 0 ? realpathSync(top.stdout.trimEnd()) : undefined };
}
