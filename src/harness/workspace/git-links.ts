import { existsSync, lstatSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { errnoOf } from "../../errors/io-error.ts";
import { targetOfGitFile } from "../../git/git-file.ts";
import { removeTree } from "./remove-tree.ts";

/** One of the small files by which git finds its way from a worktree to its repository and back. */
export interface GitLink {
  readonly path: string;
  /** Null where there must be no such file. */
  readonly text: string | null;
}

/** What the links of a worktree say; `own` is git's directory for it. A checkout that is no linked worktree has fewer. */
export function readGitLinks({
  tree,
  own,
  common,
}: {
  readonly tree: string;
  readonly own: string;
  readonly common: string;
}): GitLink[] {
  const paths = [join(tree, ".git"), join(own, "gitdir"), join(own, "config.worktree")];
  if (own !== common) paths.push(join(own, "commondir"));
  const asFound = paths
    .filter((path) => !lstatSync(path, { throwIfNoEntry: false })?.isDirectory())
    .map((path) => ({ path, text: existsSync(path) ? readFileSync(path, "utf8") : null }));
  // Where git finds one here, it takes the configuration from elsewhere; what stands there now was made by an earlier run.
  return [...asFound, { path: join(common, "commondir"), text: null }];
}

/**
 * Puts back the links that are no longer as git wrote them, and gives a sentence for each. A run that writes another
 * leads the owner's next `git status` to a configuration of its choice. Follows no symbolic link.
 */
export function mendGitLinks(links: readonly GitLink[]): readonly string[] {
  return links.flatMap((link) => (isAsWritten(link) ? [] : [mend(link)]));
}

function isAsWritten({ path, text }: GitLink): boolean {
  // What is gone with all around it leads nobody anywhere.
  if (!existsSync(dirname(path))) return true;
  const there = lstatSync(path, { throwIfNoEntry: false });
  if (there === undefined || text === null) return there === undefined && text === null;
  return there.isFile() && there.size === Buffer.byteLength(text) && readFileSync(path, "utf8") === text;
}

function mend({ path, text }: GitLink): string {
  const errno = removeTree(path);
  if (errno !== undefined) return `${path} was changed by the run and cannot be put back (${errno}): run no git there`;
  if (text === null) return `${path} was made by the run, which could lead git to its own configuration; it was removed`;
  try {
    writeFileSync(path, text, { flag: "wx" });
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return `${path} was changed by the run and cannot be put back (${errnoOf(error)}): run no git there`;
  }
  return `${path} was changed by the run; it was put back`;
}

/** The directory that the `.git` file of a worktree names; undefined where there is no such file. */
export function ownDirectoryOf(tree: string): string | undefined {
  const link = join(tree, ".git");
  if (!lstatSync(link, { throwIfNoEntry: false })?.isFile()) return undefined;
  return targetOfGitFile(link);
}
