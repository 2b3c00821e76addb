import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ownLife, stateOfLife } from "../../../src/harness/enclosure/worker-life.ts";
import { closeLeftOvers } from "../../../src/harness/workspace/left-over.ts";
import { ForkedProgram } from "../../support/forked-program.ts";
import { git } from "../../support/git.ts";
import { writeIn } from "../../support/git-repository.ts";
import { worktreeFleet } from "../../support/worktree-fleet.ts";

const NOW = Math.floor(Date.now() / 1000);
const WEEK_SECONDS = 7 * 24 * 3600;

/** A worktree of a worker in a process of its own. */
async function openedElsewhere(checkout: string, parent: string, name: string) {
  const worker = new ForkedProgram<{ readonly directory: string }>("worktree-opener.ts", checkout, parent, name);
  const opened = await worker.hear();
  if (opened === undefined) throw new Error("the worker ended before it opened its worktree");
  return { worker, directory: opened.directory };
}

test("the worktrees of a worker that died are removed, or kept where they hold something, by the next one", async () => {
  const { checkout, parent, repository } = await worktreeFleet();
  const clean = await openedElsewhere(checkout, parent, "clean-01-a01");
  const full = await openedElsewhere(checkout, parent, "full-0001-a01");
  writeIn(full.directory, "work.md", "half done");
  await clean.worker.kill();
  await full.worker.kill();
  const closed = await closeLeftOvers(repository, undefined, parent, NOW);
  expect(closed.toSorted((a, b) => a.directory.localeCompare(b.directory))).toEqual([
    { directory: clean.directory, end: { state: "removed", warnings: [] } },
    {
      directory: full.directory,
      end: { state: "kept", directory: full.directory, why: expect.stringContaining("work.md"), warnings: [] },
    },
  ]);
  // What is kept is the owner's: nobody looks at it again.
  expect(await closeLeftOvers(repository, undefined, parent, NOW)).toEqual([]);
  expect(readdirSync(parent)).toEqual(["full-0001-a01"]);
});

test("those of a worker that lives stay as they are, and so do those of another repository", async () => {
  const fleet = await worktreeFleet();
  const { worker, directory } = await openedElsewhere(fleet.checkout, fleet.parent, "alive-01-a01");
  await using _ = worker;
  expect(await closeLeftOvers(fleet.repository, undefined, fleet.parent, NOW)).toEqual([]);
  await worker.kill();
  const other = await worktreeFleet();
  expect(await closeLeftOvers(other.repository, undefined, fleet.parent, NOW)).toEqual([]);
  expect(existsSync(directory)).toBe(true);
});

test("a worktree that was only half made is removed", async () => {
  const { checkout, parent, repository } = await worktreeFleet();
  const tree = join(parent, "half-0001-a01");
  git(checkout, "worktree", "add", "-q", "--detach", "--no-checkout", tree);
  mkdirSync(`${tree}.record`);
  const dead = { ...ownLife(), boot_id: "before" };
  const record = { directory: tree, base: git(checkout, "rev-parse", "HEAD"), common: repository.common, worker: dead };
  writeFileSync(join(`${tree}.record`, "worktree.json"), JSON.stringify(record));
  expect(await closeLeftOvers(repository, undefined, parent, NOW)).toEqual([
    { directory: tree, end: { state: "removed", warnings: [] } },
  ]);
  expect(git(checkout, "worktree", "list").split("\n")).toHaveLength(1);
  expect(readdirSync(parent)).toEqual([]);
});

test("a record that cannot be read is left alone for a week", async () => {
  const { parent, repository } = await worktreeFleet();
  mkdirSync(join(parent, "x.record"));
  writeFileSync(join(parent, "x.record", "worktree.json"), "{");
  await closeLeftOvers(repository, undefined, parent, NOW);
  expect(readdirSync(parent)).toEqual(["x.record"]);
  await closeLeftOvers(repository, undefined, parent, NOW + WEEK_SECONDS + 60);
  expect(readdirSync(parent)).toEqual([]);
});

test("where nothing was ever made nothing is left over", async () => {
  const { repository } = await worktreeFleet();
  expect(await closeLeftOvers(repository, undefined, "/nonexistent", NOW)).toEqual([]);
});

test("a worker's life is told from another's by machine, start of the machine, space, number and moment", () => {
  const own = ownLife();
  expect(stateOfLife(own)).toBe("alive");
  expect(stateOfLife({ ...own, host: "another" })).toBe("unknown");
  expect(stateOfLife({ ...own, pid_namespace: "1" })).toBe("unknown");
  expect(stateOfLife({ ...own, boot_id: "" })).toBe("unknown");
  expect(stateOfLife({ ...own, boot_id: "before" })).toBe("over");
  expect(stateOfLife({ ...own, started_at: "1" })).toBe("over");
  expect(stateOfLife({ ...own, pid: 2 ** 22 + 1 })).toBe("over");
});
