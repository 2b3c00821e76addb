import { existsSync, lstatSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { errnoOf } from "../../errors/io-error.ts";
import { JobError } from "../../errors/job-error.ts";
import type { Git } from "../../git/git.ts";
import { complaintOf } from "../../git/git-words.ts";
import { mendGitLinks, ownDirectoryOf } from "./git-links.ts";
import { OutsideView } from "./outside-view.ts";
import { removeTree } from "./remove-tree.ts";
import type { Repository } from "./repository.ts";
import type { WorkspaceEnd } from "./workspace.ts";
import type { WorktreeRecord } from "./worktree-record.ts";

/** How many changed files are named. */
const NAMED_MAX = 5;

/** How large the file may be that says where a worktree's head is. */
const HEAD_BYTES_MAX = 1_000;

/**
 * Looks at what a run left in its worktree, without running anything of it, and removes it unless it holds changes or
 * commits that no remote has (contract §11). What cannot be looked at is kept, and what is kept is the owner's from then on.
 */
export async function closeWorktree(
  repository: Repository,
  remote: string | undefined,
  place: WorktreePlace,
): Promise<WorkspaceEnd> {
  const { recordDirectory, record } = place;
  const warnings = record.whole === undefined ? [] : mendGitLinks(record.whole.links);
  const why = (await whyKeep(repository, remote, place)) ?? whyNotRemoved(record);
  removeTree(recordDirectory);
  return why === undefined ? { state: "removed", warnings } : { state: "kept", directory: record.directory, why, warnings };
}

export interface WorktreePlace {
  readonly recordDirectory: string;
  readonly record: WorktreeRecord;
}

/** Removes the worktree; undefined where that is done. */
function whyNotRemoved({ directory, common, whole }: WorktreeRecord): string | undefined {
  const own = whole?.own ?? ownDirectoryOf(directory);
  const errno = removeTree(directory);
  if (errno !== undefined) return `it cannot be removed (${errno})`;
  // What `git worktree remove` does, without its own look at the tree. Not prune: that forgets other worktrees too.
  if (own !== undefined && dirname(own) === join(common, "worktrees")) removeTree(own);
  return undefined;
}

/** A sentence, or undefined where nothing in the worktree would be missed: nothing ever ran in one that is not whole. */
async function whyKeep(repository: Repository, remote: string | undefined, place: WorktreePlace): Promise<string | undefined> {
  const { whole } = place.record;
  if (whole === undefined) return undefined;
  try {
    return await whatIsWorthKeeping(repository, remote, place, whole.own);
  } catch (error) {
    if (error instanceof JobError) return error.message;
    const errno = errnoOf(error);
    if (errno === undefined) throw error;
    return `it cannot be looked at (${errno})`;
  }
}

async function whatIsWorthKeeping(
  { git, plainGit }: Repository,
  remote: string | undefined,
  { recordDirectory, record: { directory, base, common } }: WorktreePlace,
  own: string,
): Promise<string | undefined> {
  const isThere = existsSync(directory);
  const head = await headOf(git, own, common);
  if (head === undefined) return isThere ? "git no longer knows at which commit it is" : undefined;
  const changes = isThere ? await new OutsideView(plainGit, recordDirectory, directory).changes(base, head, NAMED_MAX + 1) : [];
  if (changes.length > 0) {
    const named = changes.slice(0, NAMED_MAX).join(", ");
    return `it holds changes that are not committed: ${named}${changes.length > NAMED_MAX ? ", …" : ""}`;
  }
  if (head === base || (await isOnRemote(git, remote, head, base))) return undefined;
  return `it is at ${head.slice(0, 12)}, which no remote has`;
}

/** The commit at which a worktree is. Its own directory is the run's to write, so it is read and not asked. */
async function headOf(git: Git, own: string, common: string): Promise<string | undefined> {
  const path = join(own, "HEAD");
  const there = lstatSync(path, { throwIfNoEntry: false });
  if (!there?.isFile() || there.size > HEAD_BYTES_MAX) return undefined;
  const text = readFileSync(path, "utf8").trimEnd();
  const name = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text) ? text : /^ref: (refs\/heads\/\S+)$/.exec(text)?.[1];
  if (name === undefined) return undefined;
  const resolved = await git.run([`--git-dir=${common}`, "rev-parse", "--verify", "--end-of-options", `${name}^{commit}`]);
  return resolved.exit_code === 0 ? resolved.stdout.trim() : undefined;
}

/** Whether a remote holds the commit: as this clone knows it, else as the remote says, since a clone may not track it all. */
async function isOnRemote(git: Git, remote: string | undefined, commit: string, base: string): Promise<boolean> {
  const known = await git.run(["rev-list", "--max-count=1", commit, "--not", base, "--remotes"]);
  if (known.exit_code !== 0) throw new JobError("IO", `its commits cannot be listed: ${complaintOf(known)}`);
  if (known.stdout.trim() === "") return true;
  const listed = await git.run(["ls-remote", remote ?? "origin"]);
  if (listed.exit_code !== 0) return false;
  const heads = listed.stdout.split("\n").flatMap((line) => /^[0-9a-f]{40,64}(?=\trefs\/)/.exec(line) ?? []);
  const input = [commit, `^${base}`, ...heads.map((id) => `^${id}`), ""].join("\n");
  const missing = await git.run(["rev-list", "--max-count=1", "--ignore-missing", "--stdin"], { input });
  return missing.exit_code === 0 && missing.stdout.trim() === "";
}
