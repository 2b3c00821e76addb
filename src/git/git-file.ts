import { readFileSync, statSync } from "node:fs";

/** No path is longer. */
const BYTES_MAX = 4096;

/** What a `.git` file (of a worktree, of a submodule) names as its git directory; undefined where it names none. */
export function targetOfGitFile(file: string): string | undefined {
  if (statSync(file).size > BYTES_MAX) return undefined;
  return /^gitdir: (.+)/.exec(readFileSync(file, "utf8"))?.[1];
}
