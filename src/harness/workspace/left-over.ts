import { statSync } from "node:fs";
import { errnoOf } from "../../errors/io-error.ts";
import { stateOfLife } from "../enclosure/worker-life.ts";
import { closeWorktree } from "./close-worktree.ts";
import { removeTree } from "./remove-tree.ts";
import type { Repository } from "./repository.ts";
import type { WorkspaceEnd } from "./workspace.ts";
import { readRecord, recordDirectories, type WorktreeRecord } from "./worktree-record.ts";

export interface LeftOver {
  readonly directory: string;
  readonly end: WorkspaceEnd;
}

/** No run takes that long: a worker on a machine or in a container that we cannot see is over by then. */
const UNSEEN_SECONDS_MAX = 7 * 24 * 3600;

/**
 * Closes the worktrees below `parent` that workers left behind which died, as those workers would have: removed, or kept
 * and named. Worktrees of workers that live, and of other repositories, stay as they are. `now` is in seconds.
 */
export async function closeLeftOvers(
  repository: Repository,
  remote: string | undefined,
  parent: string,
  now: number,
): Promise<readonly LeftOver[]> {
  const closed: LeftOver[] = [];
  for (const recordDirectory of recordDirectories(parent)) {
    const record = readRecord(recordDirectory);
    if (record === undefined) {
      // Its worker died before it had written a line, so there is no worktree either.
      if (isOld(recordDirectory, now)) removeTree(recordDirectory);
      continue;
    }
    if (!isOver(record, recordDirectory, now)) continue;
    if (record.common !== repository.common) continue;
    closed.push({ directory: record.directory, end: await closeWorktree(repository, remote, { recordDirectory, record }) });
  }
  return closed;
}

function isOver({ worker }: WorktreeRecord, recordDirectory: string, now: number): boolean {
  const state = stateOfLife(worker);
  return state === "over" || (state === "unknown" && isOld(recordDirectory, now));
}

function isOld(directory: string, now: number): boolean {
  try {
    return statSync(directory).mtimeMs / 1000 < now - UNSEEN_SECONDS_MAX;
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return false;
  }
}
