import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { systemClock } from "../../src/facts/clock.ts";
import { type HeldLock, withDirectoryLock } from "../../src/store/directory-lock.ts";
import { heartbeatName } from "../../src/store/lock/baton.ts";
import { git } from "../support/git.ts";
import { commitAll, freshRepository, writeIn } from "../support/git-repository.ts";

/** A repository whose jobs directory is locked while `act` runs, with all that may ever lie in the lock's directory. */
async function whileHeld(act: (repository: string, lock: HeldLock) => void): Promise<string> {
  const repository = freshRepository();
  writeIn(repository, "wake_jobs/harbor-0001.json", "{}\n");
  commitAll(repository);
  await withDirectoryLock(join(repository, "wake_jobs"), { clock: systemClock }, async (lock) => {
    writeFileSync(lock.newTempPath(), "half");
    mkdirSync(join(repository, "wake_jobs/.lock.d", heartbeatName("0".repeat(24))));
    act(repository, lock);
  });
  return repository;
}

function lockNames(repository: string): string[] {
  return readdirSync(join(repository, "wake_jobs/.lock.d"));
}

it.each<[string, readonly string[]]>([
  ["status", ["status", "--porcelain", "--untracked-files=all"]],
  ["add -A, then status", ["add", "-A"]],
  ["clean -fd", ["clean", "-fd"]],
  ["clean -ffd", ["clean", "-ffd"]],
  ["stash -u", ["stash", "-u"]],
  ["checkout of everything", ["checkout", "--", "."]],
  ["reset --hard", ["reset", "--hard"]],
])("git %s neither shows nor removes a lock that is held", async (_, command) => {
  const repository = await whileHeld((directory, lock) => {
    const before = lockNames(directory);
    // Something to clean, to stash and to reset beside it.
    writeFileSync(join(directory, "wake_jobs/notes.txt"), "mine");
    writeFileSync(join(directory, "wake_jobs/harbor-0001.json"), "{ }\n");
    expect(git(directory, ...command)).not.toContain(".lock.d");
    expect(git(directory, "status", "--porcelain", "--untracked-files=all")).not.toContain(".lock.d");
    expect(lockNames(directory)).toEqual(before);
    expect(lock.isStillHeld()).toBe(true);
  });
  commitAll(repository);
  expect(git(repository, "ls-files")).not.toContain(".lock.d");
});

it("git clean -fdx takes the lock, its holder knows, and the next caller has a new one", async () => {
  const repository = await whileHeld((directory, lock) => {
    git(directory, "clean", "-fdx");
    expect(lock.isStillHeld()).toBe(false);
  });
  await withDirectoryLock(join(repository, "wake_jobs"), { clock: systemClock }, async (lock) => {
    expect(lock.isStillHeld()).toBe(true);
  });
  expect(readFileSync(join(repository, "wake_jobs/.lock.d/.gitignore"), "utf8")).toBe("*\n");
});
