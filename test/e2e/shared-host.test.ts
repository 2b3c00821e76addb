import { chmodSync, mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { TickSummary } from "../../src/wake/summary.ts";
import { deadHolder } from "../support/dead-holder.ts";
import { freshRepository } from "../support/git-repository.ts";
import { putJob } from "../support/job-builder.ts";
import { atNoon } from "../support/noon.ts";
import { runCli } from "../support/run-cli.ts";
import { unprivileged } from "../support/unprivileged.ts";

// Only root can leave something behind as one user and go on as another.
it.runIf(process.getuid?.() === 0)("a lock whose holder died as another user is taken over", async () => {
  const repository = freshRepository();
  const jobs = join(repository, "wake_jobs");
  mkdirSync(jobs);
  for (const directory of [repository, jobs]) chmodSync(directory, 0o777);
  putJob(jobs, "harbor-0001");
  await runCli({ cwd: repository }, "--tick", "--now", atNoon());
  renameSync(join(jobs, ".lock.d/free"), join(jobs, ".lock.d", deadHolder()));
  putJob(jobs, "harbor-0002");
  const run = await runCli<TickSummary>({ cwd: repository, ...unprivileged() }, "--tick", "--now", atNoon());
  expect(run.stderr).toBe("");
  expect(run.json.jobs).toMatchObject([{ reason: "LEASE_HELD" }, { action: "WAKE", job_id: "harbor-0002" }]);
  expect(run.code).toBe(0);
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
  const run = await runCli<TickSummary>({ cwd: repository, uid: NAMELESS }, "--tick", "--now", atNoon());
  expect(run.json.jobs).toMatchObject([{ action: "WAKE", job_id: "harbor-0001" }]);
  expect(run.code).toBe(0);
});
