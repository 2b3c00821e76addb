import { realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { errnoOf } from "../errors/io-error.ts";
import { targetOfGitFile } from "./git-file.ts";

/**
 * Where a repository's objects, refs and configuration are. It follows from where the git directory lies: a file `commondir`
 * in it, which git would go by, is an agent's to write. Undefined where there are no objects; then git may look for itself.
 */
export function commonDirectoryOf(gitDirectory: string): string | undefined {
  const whole = dirname(dirname(gitDirectory));
  if (basename(dirname(gitDirectory)) === "worktrees" && hasObjects(whole)) return whole;
  return hasObjects(gitDirectory) ? gitDirectory : undefined;
}

/** The same for the top of a work tree; undefined also where this is none. */
export function commonDirectoryAt(top: string): string | undefined {
  const entry = join(top, ".git");
  try {
    const stat = statSync(entry);
    const directory = stat.isFile() ? targetOfGitFile(entry) : entry;
    return directory && commonDirectoryOf(realpathSync(resolve(top, directory)));
  } catch (error) {
    // There is none, or nobody may look: git will say so itself.
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}

function hasObjects(directory: string): boolean {
  return statSync(join(directory, "objects"), { throwIfNoEntry: false })?.isDirectory() === true;
}
