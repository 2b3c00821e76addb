import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { errnoOf } from "../errors/io-error.ts";
import { removeTree } from "./workspace/remove-tree.ts";

/** A job that was not worked on for so long starts afresh, with its checkpoint in the prompt. */
const UNUSED_SECONDS_MAX = 30 * 24 * 3600;

/** Removes the homes of jobs for which the agent has not run for a month; they hold sessions and caches. `now` is in seconds. */
export function removeOldHomes(directory: string, now: number): void {
  for (const name of namesIn(directory)) {
    const home = join(directory, name);
    // A directory's own time is that of the last name that was made in it; every run makes some.
    const usedAt = Math.max(...[home, ...namesIn(home).map((inside) => join(home, inside))].map(changedAt));
    if (usedAt < now - UNUSED_SECONDS_MAX) removeTree(home);
  }
}

function changedAt(path: string): number {
  return (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) / 1000;
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return [];
  }
}
