import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { openRepository, type Repository } from "../../src/harness/workspace/repository.ts";
import type { Workspace } from "../../src/harness/workspace/workspace.ts";
import { openWorktree } from "../../src/harness/workspace/worktree.ts";
import { GIT_ENV, git } from "./git.ts";
import { addRemote, commitAll, freshRepository, writeIn } from "./git-repository.ts";
import { tempDirectory } from "./temp-directory.ts";

/** A checkout with a remote, as its owner has it, and a place for worktrees. */
export interface WorktreeFleet {
  readonly checkout: string;
  readonly remote: string;
  readonly parent: string;
  readonly repository: Repository;
  open(): Promise<Workspace>;
}

/** `files` stand on main; `set` are settings of the owner's. */
export async function worktreeFleet(
  files: Readonly<Record<string, string>> = { "README.md": "a fleet\n" },
  set: Readonly<Record<string, string>> = {},
): Promise<WorktreeFleet> {
  const checkout = freshRepository();
  for (const [name, value] of Object.entries({ "user.name": "Owner", "user.email": "owner@example.invalid", ...set })) {
    git(checkout, "config", name, value);
  }
  for (const [path, text] of Object.entries(files)) writeIn(checkout, path, text);
  commitAll(checkout, "a fleet");
  const remote = addRemote(checkout);
  return fleetAt(checkout, remote);
}

/** The same for a checkout that is there. */
export async function fleetAt(checkout: string, remote: string): Promise<WorktreeFleet> {
  const parent = join(tempDirectory(), "worktrees");
  mkdirSync(parent);
  const repository = await openRepository({ directory: checkout, env: GIT_ENV });
  let count = 0;
  return {
    checkout,
    remote,
    parent,
    repository,
    open: () =>
      openWorktree({
        repository,
        remote: undefined,
        branch: undefined,
        jobsDirectory: join(checkout, "wake_jobs"),
        parent,
        name: `fix-it-01-a0${++count}`,
      }),
  };
}
