import { existsSync, mkdirSync, realpathSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { ioError } from "../../errors/io-error.ts";
import type { Git } from "../../git/git.ts";
import type { Mount } from "../enclosure/mount.ts";
import { localRemoteMounts } from "./local-remotes.ts";
import type { Repository } from "./repository.ts";

/** What git runs, or takes its orders from; and every other worktree's part, which holds pointers to such places. */
const OWNERS_PARTS = ["config", "config.worktree", "hooks", "info", "modules", "worktrees"];

/** Of these, the directories that git does without; one that is not there could be made by the run. */
const MADE_WHERE_MISSING = ["hooks", "info", "modules"];

/**
 * The parts of a repository as a run may touch them: it commits, fetches and pushes, and cannot change what git will run
 * for the owner. `own` is git's directory for the run's checkout.
 */
export async function gitMounts(repository: Repository, own: string): Promise<readonly Mount[]> {
  const { git, common } = repository;
  for (const name of MADE_WHERE_MISSING) makeDirectory(join(common, name));
  const parts = [...OWNERS_PARTS.map((name) => join(common, name)), ...(await configurationElsewhere(git))];
  return [
    { path: common, access: "write" },
    ...parts.filter((path) => existsSync(path)).map((path): Mount => ({ path: realpathSync(path), access: "read" })),
    ...(own === common ? [] : [{ path: own, access: "write" } as const]),
    ...(await localRemoteMounts(repository)),
  ];
}

function makeDirectory(path: string): void {
  try {
    mkdirSync(path, { recursive: true });
  } catch (cause) {
    throw ioError(path, cause);
  }
}

/** The user's own configuration files with what they include, and the directory of hooks where it is named. */
async function configurationElsewhere(git: Git): Promise<readonly string[]> {
  const listed = await git.run(["config", "--list", "--show-origin", "--name-only", "-z"]);
  const files = listed.stdout.split("\0").flatMap((entry) => (entry.startsWith("file:") ? [entry.slice("file:".length)] : []));
  // Not asked of our own git, which names a place for hooks that is none.
  const hooks = await git.run(["config", "--type=path", "--get-all", "core.hooksPath"]);
  return [...new Set([...files, ...hooks.stdout.split("\n")])].filter((path) => isAbsolute(path) && path !== "/dev/null");
}
