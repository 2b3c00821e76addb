import { existsSync, mkdirSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { ioError } from "../../errors/io-error.ts";
import { JobError } from "../../errors/job-error.ts";
import type { Git } from "../../git/git.ts";
import { resolveGitHead } from "../../git/git-head.ts";
import { complaintOf } from "../../git/git-words.ts";
import type { Mount } from "../enclosure/mount.ts";
import { ownLife } from "../enclosure/worker-life.ts";
import { closeWorktree } from "./close-worktree.ts";
import { ownDirectoryOf, readGitLinks } from "./git-links.ts";
import { gitMounts } from "./git-mounts.ts";
import { OutsideView } from "./outside-view.ts";
import type { Repository } from "./repository.ts";
import type { Workspace } from "./workspace.ts";
import { RECORD_SUFFIX, type WorktreeRecord, writeRecord } from "./worktree-record.ts";

export interface WorktreeOptions {
  readonly repository: Repository;
  /** As in config: the remote, and the branch whose head is checked out. Undefined for the defaults. */
  readonly remote: string | undefined;
  readonly branch: string | undefined;
  /** The fleet's job files, with the claims of all runs in them. */
  readonly jobsDirectory: string;
  /** Where worktrees are made: a directory of the worker's own, outside of the checkout. */
  readonly parent: string;
  /** The worktree's own name, of letters, digits, dots and dashes: an attempt's id and something fresh. */
  readonly name: string;
}

/**
 * Makes a fresh detached worktree of the remote's head (contract §11); without a remote, of the checkout's. Throws JobError:
 * CONFIG where there is no commit, TRUTH_UNAVAILABLE where the remote cannot be asked, IO.
 */
export async function openWorktree(options: WorktreeOptions): Promise<Workspace> {
  const { repository, remote, branch, jobsDirectory, parent, name } = options;
  const { git, plainGit, common, top } = repository;
  const base = await resolveGitHead({ git, remote, branch });
  if (base === undefined)
    throw new JobError("CONFIG", "there is no commit to make a worktree of; commit and push something first");
  const tree = join(makeParent(parent), name);
  const recordDirectory = tree + RECORD_SUFFIX;
  // First, so that a worktree which is only half made is known too.
  const begun: WorktreeRecord = { directory: tree, base, common, worker: ownLife() };
  try {
    mkdirSync(recordDirectory, { mode: 0o700 });
    writeRecord(recordDirectory, begun);
  } catch (cause) {
    throw ioError(recordDirectory, cause);
  }
  try {
    const own = await checkOut(git, tree, base);
    await new OutsideView(plainGit, recordDirectory, tree).make({ own, common, commit: base });
    const record: WorktreeRecord = { ...begun, whole: { own, links: readGitLinks({ tree, own, common }) } };
    writeRecord(recordDirectory, record);
    const mounts: readonly Mount[] = [
      // Other runs' worktrees, and what the owner has checked out, are none of this run's business. The jobs least of all.
      { path: dirname(tree), access: "none" },
      ...(top === undefined ? [] : [{ path: top, access: "read" } as const]),
      ...(existsSync(jobsDirectory) ? [{ path: realpathSync(jobsDirectory), access: "none" } as const] : []),
      ...(await gitMounts(repository, own)),
      { path: tree, access: "write" },
    ];
    return { directory: tree, mounts, close: () => closeWorktree(repository, remote, { recordDirectory, record }) };
  } catch (error) {
    await closeWorktree(repository, remote, { recordDirectory, record: begun });
    throw error;
  }
}

function makeParent(parent: string): string {
  try {
    mkdirSync(parent, { recursive: true, mode: 0o700 });
    return realpathSync(parent);
  } catch (cause) {
    throw ioError(parent, cause);
  }
}

/** Gives git's own directory for the new worktree. */
async function checkOut(git: Git, tree: string, commit: string): Promise<string> {
  await require(git, tree, ["worktree", "add", "--quiet", "--detach", "--no-checkout", tree, commit]);
  // In a step of its own, since only this one can say how far it is: a large checkout is not taken for one that hangs.
  await require(git, tree, ["-C", tree, "checkout", "--progress", "--force", "--detach", "--no-recurse-submodules", commit]);
  return realpathSync(ownDirectoryOf(tree) ?? "");
}

async function require(git: Git, tree: string, args: readonly string[]): Promise<void> {
  const done = await git.run(args);
  if (done.exit_code === 0) return;
  throw new JobError("IO", `${tree}: a worktree cannot be made there: ${complaintOf(done)}`, { file: tree });
}
