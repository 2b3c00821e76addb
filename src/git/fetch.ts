import type { Git } from "./git.ts";
import { complaintOf } from "./git-words.ts";
import { ABSENT, failed, found, type Looked } from "./looked.ts";

/**
 * Fetching leaves nothing behind but objects and the ref that it names. It says how far it is, which git keeps to itself
 * away from a terminal: else a fetch of much over a slow line would be taken for hanging, today and at every later try.
 */
export const FETCH: readonly string[] = [
  "fetch",
  "--progress",
  "--no-tags",
  "--no-prune",
  "--no-auto-maintenance",
  "--no-recurse-submodules",
  "--no-write-fetch-head",
];

/** Brings a commit of the remote here where it is not. A checkout is often older than its remote, or shallow. */
export async function fetchCommit(git: Git, remote: string, commit: string): Promise<Looked<string>> {
  const before = await lookForCommit(git, commit);
  if (before.state !== "absent") return before;
  const fetched = await git.run([...FETCH, remote, commit]);
  if (fetched.exit_code !== 0) return failed(complaintOf(fetched));
  return lookForCommit(git, commit);
}

async function lookForCommit(git: Git, commit: string): Promise<Looked<string>> {
  // A newer git in a partial clone is kept from fetching it by itself, with all that leads to it.
  const asked = await git.run(["cat-file", "--batch-check"], { input: `${commit}\n`, env: { GIT_NO_LAZY_FETCH: "1" } });
  if (asked.exit_code !== 0) return failed(complaintOf(asked));
  if (asked.stdout === `${commit} missing\n`) return ABSENT;
  return asked.stdout.startsWith(`${commit} commit `) ? found(commit) : failed(`git shows no commit under ${commit}`);
}
