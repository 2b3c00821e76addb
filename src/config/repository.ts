import { lstatSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { errnoOf, ioError } from "../errors/io-error.ts";
import { targetOfGitFile } from "../git/git-file.ts";

/** Directories from here up to the root of the file system. */
function* upwards(start: string): Generator<string> {
  for (let directory = start; ; directory = dirname(directory)) {
    yield directory;
    if (directory === dirname(directory)) return;
  }
}

/** The tops of the git repositories at or above a directory, the nearest first. The path must have no links in it. */
export function* repositoriesAbove(start: string): Generator<string> {
  for (const directory of upwards(start)) if (isRepository(directory)) yield directory;
}

/** The nearest directory at or above this one for which `isWanted`. */
export function findUpwards(start: string, isWanted: (directory: string) => boolean): string | undefined {
  for (const directory of upwards(start)) if (isWanted(directory)) return directory;
  return undefined;
}

/**
 * Whether this is the top of a repository, as git itself sees it: `.git` is a git directory, or a file that names one
 * (worktrees, submodules). A `.git` without a HEAD is none: an empty one in `/tmp` is not everyone's repository.
 */
export function isRepository(directory: string): boolean {
  const entry = join(directory, ".git");
  const stat = lookAt(entry);
  if (stat?.isDirectory()) return isGitDirectory(entry);
  return stat?.isFile() ? isGitDirectory(resolve(directory, targetOfGitFile(entry) ?? "")) : false;
}

function isGitDirectory(directory: string): boolean {
  const hasObjects = lookAt(join(directory, "objects")) !== undefined || lookAt(join(directory, "commondir")) !== undefined;
  return hasObjects && lstatSync(join(directory, "HEAD"), { throwIfNoEntry: false }) !== undefined;
}

/** Follows links, as git does. What cannot be looked at is an error: to take it for absent would choose another repository. */
function lookAt(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (cause) {
    if (errnoOf(cause) === "ENOTDIR") return undefined;
    throw ioError(path, cause);
  }
}

/** The path without links, as far as it is there yet. */
export function realPathOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch (cause) {
    if (errnoOf(cause) !== "ENOENT" || path === dirname(path)) throw ioError(path, cause);
    return join(realPathOf(dirname(path)), basename(path));
  }
}
