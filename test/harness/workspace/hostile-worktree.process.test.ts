import { chmodSync, existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openFleet } from "../../../src/compose.ts";
import { transactOne } from "../../../src/store/job-store.ts";
import { dueJob } from "../../support/due-job.ts";
import { GIT_ENV, git } from "../../support/git.ts";
import { GitRemote, jobFiles } from "../../support/git-remote.ts";
import { commitAll, freshRepository, writeIn } from "../../support/git-repository.ts";
import { TRAIN } from "../../support/job-builder.ts";
import { tempDirectory } from "../../support/temp-directory.ts";
import { type WorktreeFleet, worktreeFleet } from "../../support/worktree-fleet.ts";

/** A script that leaves a file behind when it is run, and a repository whose configuration runs it wherever git would. */
interface Trap {
  readonly script: string;
  readonly repository: string;
  readonly hasSprung: () => boolean;
}

function setTrap(): Trap {
  const place = tempDirectory();
  const [script, mark] = [join(place, "trap"), join(place, "sprung")];
  writeFileSync(script, `#!/bin/sh\ntouch ${mark}\ncat\n`);
  chmodSync(script, 0o755);
  const repository = freshRepository();
  commitAll(repository);
  configure(repository, script);
  return { script, repository: join(repository, ".git"), hasSprung: () => existsSync(mark) };
}

function configure(directory: string, script: string): void {
  for (const name of [
    "core.fsmonitor",
    "core.sshCommand",
    "filter.any.clean",
    "filter.any.process",
    "diff.external",
    "core.pager",
  ])
    git(directory, "config", name, script);
}

type Attack = (directory: string, trap: Trap, own: string, fleet: WorktreeFleet) => void;

const attacks: Readonly<Record<string, Attack>> = {
  "a .git file that names another repository": (directory, { repository }) => {
    writeFileSync(join(directory, ".git"), `gitdir: ${repository}\n`);
  },
  "a .git that is a repository": (directory, { script }) => {
    rmSync(join(directory, ".git"));
    git(directory, "init", "-q");
    configure(directory, script);
  },
  "a .git that is a link": (directory, { repository }) => {
    rmSync(join(directory, ".git"));
    symlinkSync(repository, join(directory, ".git"));
  },
  "a worktree directory of git's that names another repository": (_directory, { repository }, own) => {
    writeFileSync(join(own, "commondir"), `${repository}\n`);
  },
  "a configuration of the worktree's own": (directory, { script }, own) => {
    git(directory, "config", "extensions.worktreeConfig", "true");
    writeFileSync(join(own, "config.worktree"), `[core]\n\tfsmonitor = ${script}\n`);
  },
  "a repository that is told to have its configuration elsewhere": (
    _directory,
    { repository },
    _own,
    { repository: { common } },
  ) => {
    writeFileSync(join(common, "commondir"), `${repository}\n`);
  },
  "attributes that name a filter of the owner's, whose script is in the tree": (directory, { script }, _own, { checkout }) => {
    git(checkout, "config", "filter.any.clean", "./clean");
    writeIn(directory, "clean", readFileSync(script, "utf8"));
    chmodSync(join(directory, "clean"), 0o755);
    writeIn(directory, ".gitattributes", "* filter=any\n");
    writeIn(directory, "README.md", "a different text\n");
  },
  "a repository inside, with a monitor": (directory, { script }) => {
    git(directory, "init", "-q", "inner");
    commitAll(join(directory, "inner"));
    configure(join(directory, "inner"), script);
    writeIn(directory, "inner/new", "x");
  },
};

describe("nothing that a run leaves in its worktree is run by looking at it, nor by the owner's git afterwards", () => {
  test.each(Object.entries(attacks))("%s", async (what, attack) => {
    const fleet = await worktreeFleet();
    const trap = setTrap();
    const workspace = await fleet.open();
    const own = git(workspace.directory, "rev-parse", "--absolute-git-dir");
    attack(workspace.directory, trap, own, fleet);
    // Something to keep, so that the owner finds the worktree.
    writeIn(workspace.directory, "kept.md", "x");
    const end = await workspace.close();
    expect(trap.hasSprung()).toBe(false);
    expect(end).toMatchObject({ state: "kept", directory: workspace.directory });
    git(fleet.checkout, "status");
    // The owner's own filter, which runs scripts of whatever tree it is in, is the owner's to judge.
    if (!what.startsWith("attributes")) git(workspace.directory, "status");
    expect(trap.hasSprung()).toBe(false);
  });

  test("the trap would spring", async () => {
    const fleet = await worktreeFleet();
    const trap = setTrap();
    const { directory } = await fleet.open();
    attacks["a .git file that names another repository"]?.(directory, trap, "", fleet);
    git(directory, "status");
    expect(trap.hasSprung()).toBe(true);
  });
});

test("what a run plants while it goes on leads neither the worktrees of others nor the worker to it", async () => {
  const fleet = await worktreeFleet();
  const trap = setTrap();
  const workspace = await fleet.open();
  attacks["a repository that is told to have its configuration elsewhere"]?.(workspace.directory, trap, "", fleet);
  git(trap.repository, "config", "remote.origin.url", fleet.remote);
  git(trap.repository, "config", "remote.origin.uploadpack", trap.script);
  const other = await fleet.open();
  expect(readFileSync(join(other.directory, "README.md"), "utf8")).toBe("a fleet\n");
  await other.close();
  expect(trap.hasSprung()).toBe(false);
});

test("nor the worker's own calls on the fleet: store, pages and holds", async () => {
  const remote = new GitRemote({ ...jobFiles([dueJob(TRAIN)]), [`p/${TRAIN}.md`]: "done\n" });
  const checkout = remote.clone();
  const fleet = await openFleet({ dir: checkout, store: "git", env: GIT_ENV });
  const trap = setTrap();
  for (const [name, value] of [
    ["url", remote.url],
    ["uploadpack", `${trap.script} </dev/null; false`],
    ["receivepack", `${trap.script} </dev/null; false`],
  ] as const) {
    git(trap.repository, "config", `remote.origin.${name}`, value);
  }
  writeFileSync(join(checkout, ".git/commondir"), `${trap.repository}\n`);
  const claimed = await transactOne(fleet.store, TRAIN, ({ job }) => ({
    answer: job?.job_id,
    ...(job && { write: { job: { ...job, tokens_used: 1 }, note: "MOVED" } }),
  }));
  expect(claimed).toBe(TRAIN);
  expect((await (await fleet.pages.atHead()).states([TRAIN])).get(TRAIN)).toBe("durable");
  await fleet.holds.inForce();
  expect(trap.hasSprung()).toBe(false);
  expect(() => git(checkout, "ls-remote")).toThrow();
  expect(trap.hasSprung()).toBe(true);
});

test("what was changed of git's own files is put back, and said", async () => {
  const fleet = await worktreeFleet();
  const trap = setTrap();
  const workspace = await fleet.open();
  attacks["a .git that is a link"]?.(workspace.directory, trap, "", fleet);
  expect(await workspace.close()).toEqual({
    state: "removed",
    warnings: [expect.stringMatching(/fix-it-01-a01\/\.git was changed by the run; it was put back$/)],
  });
  expect(existsSync(join(trap.repository, "HEAD"))).toBe(true);
});

test("links that lead out of the tree are removed, and what they lead to is not", async () => {
  const fleet = await worktreeFleet({ "README.md": "a fleet\n", ".gitignore": "out\n" });
  const precious = tempDirectory();
  writeIn(precious, "file", "precious");
  const workspace = await fleet.open();
  symlinkSync(precious, join(workspace.directory, "out"));
  expect(await workspace.close()).toMatchObject({ state: "removed" });
  expect(existsSync(join(precious, "file"))).toBe(true);
});

test("a worktree of which git knows nothing any more is kept", async () => {
  const fleet = await worktreeFleet();
  const workspace = await fleet.open();
  rmSync(git(workspace.directory, "rev-parse", "--absolute-git-dir"), { recursive: true });
  expect(await workspace.close()).toMatchObject({ state: "kept", why: "git no longer knows at which commit it is" });
});
