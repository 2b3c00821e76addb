import { chmodSync, mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { lockPathOf } from "../../src/store/directory-lock.ts";
import type { TickSummary } from "../../src/wake/summary.ts";
import { freshRepository } from "../support/git-repository.ts";
import { NOON, putJob } from "../support/job-document.ts";
import { runCli } from "../support/run-cli.ts";
import { unprivileged } from "../support/unprivileged.ts";

// Only root can leave something behind as one user and go on as another.
it.runIf(process.getuid?.() === 0)("a lock whose holder died as another user is taken over", async () => {
  const repository = freshRepository();
  const jobs = join(repository, "wake_jobs");
  mkdirSync(jobs);
  for (const directory of [repository, jobs]) chmodSync(directory, 0o777);
  putJob(jobs, "harbor-0001");
  const lock = lockPathOf(jobs);
  writeFileSync(`${lock}.holder`, "a dead root's token", { mode: 0o644 });
  mkdirSync(`${lock}.lock`, { mode: 0o755 });
  utimesSync(`${lock}.lock`, 0, 0);
  try {
    const run = await runCli<TickSummary>({ cwd: repository, ...unprivileged() }, "--tick", "--now", NOON);
    expect(run.stderr).toBe("");
    expect(run.json.jobs).toMatchObject([{ action: "WAKE", job_id: "harbor-0001" }]);
    expect(run.code).toBe(0);
  } finally {
    for (const left of [`${lock}.holder`, `${lock}.lock`]) rmSync(left, { recursive: true, force: true });
  }
});

// A user id without an entry in /etc/passwd: what `docker run --user` and many clusters give a container.
const NAMELESS = 2_000_000_123;

it.runIf(process.getuid?.() === 0)("one host's agents take turns also where a user has no name", async (context) => {
  const options = unprivileged();
  if (options.uid === undefined) context.skip("nobody but root can reach this checkout");
  const repository = freshRepository();
  const jobs = join(repository, "wake_jobs");
  mkdirSync(jobs);
  for (const directory of [repository, jobs]) chmodSync(directory, 0o777);
  putJob(jobs, "harbor-0001");
  const run = await runCli<TickSummary>({ cwd: repository, uid: NAMELESS }, "--tick", "--now", NOON);
  expect(run.json.jobs).toMatchObject([{ action: "WAKE", job_id: "harbor-0001" }]);
  expect(run.code).toBe(0);
});
