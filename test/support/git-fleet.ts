import { openFleet } from "../../src/compose.ts";
import { systemClock } from "../../src/facts/clock.ts";
import type { Fleet } from "../../src/fleet.ts";
import type { Git } from "../../src/git/git.ts";
import { openGit } from "../../src/git/open-git.ts";
import type { Seconds } from "../../src/job/time.ts";
import { GitJobStore, type GitJobStoreOptions } from "../../src/store/git-job-store.ts";
import { GIT_ENV } from "./git.ts";
import { NOON } from "./noon.ts";

/** Where job files are in a repository. */
export const JOBS = "wake_jobs";

/** The fleet of a clone as `--land` opens it, with its clock in the test's hand. */
export async function openGitFleet(
  clone: string,
  now: () => Seconds,
  env: Readonly<Record<string, string>> = {},
): Promise<Fleet> {
  const fleet = await openFleet({ dir: clone, store: "git", env: { ...GIT_ENV, ...env } });
  const clock = { now, monotonic: systemClock.monotonic };
  const { settings } = fleet;
  const git = openGit({ directory: clone, env: { ...GIT_ENV, ...env } });
  return { ...fleet, clock, store: storeOver(git, now, settings.git.branch, settings.jobs_dir) };
}

/** A store of a clone whose git is the test's own: it may count, cut in, or fail. */
export function storeOver(git: Git, now: () => Seconds, branch?: string, directory = JOBS): GitJobStore {
  return gitStore(git, { branch, directory, clock: { now, monotonic: systemClock.monotonic } });
}

/** A store of a clone at noon, with these options over the plain ones. */
export function gitStore(git: Git, options: Partial<GitJobStoreOptions> = {}): GitJobStore {
  return new GitJobStore({
    git,
    remote: "origin",
    branch: undefined,
    directory: JOBS,
    clock: { now: () => NOON, monotonic: systemClock.monotonic },
    author: { name: "harness-wake", email: "harness-wake@example.net" },
    ...options,
  });
}

/** The store of a clone, with git as it is. */
export function storeIn(clone: string, options: Partial<GitJobStoreOptions> = {}): GitJobStore {
  return gitStore(openGit({ directory: clone, env: GIT_ENV }), options);
}

/** Git in a clone with something that happens before each command, which is told its name: `fetch`, `push` … */
export function gitWith(clone: string, before: (command: string) => Promise<void> | void): Git {
  const git = openGit({ directory: clone, env: GIT_ENV });
  return {
    async run(args, options) {
      await before(args[0] ?? "");
      return git.run(args, options);
    },
    async converse(args) {
      await before(args[0] ?? "");
      return git.converse(args);
    },
    runNow: (args, input) => git.runNow(args, input),
  };
}
