import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { TickSummary } from "../../src/wake/summary.ts";
import { deadHolder } from "../support/dead-holder.ts";
import { freshRepository } from "../support/git-repository.ts";
import { putJob } from "../support/job-builder.ts";
import { atNoon } from "../support/noon.ts";
import { type CliOptions, runCli } from "../support/run-cli.ts";
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

/** Users of one group: neither's own, but both are in it. */
const AGENTS = 2_000;
const [ALICE, BOB] = [1_001, 1_002];

function as(user: number): Pick<CliOptions, "launcher"> {
  const identity = [`--reuid=${user}`, `--regid=${user}`, `--groups=${AGENTS}`];
  return { launcher: ["setpriv", ...identity, "--", process.execPath] };
}

describe.runIf(process.getuid?.() === 0)("two users of one group over one directory", () => {
  function sharedFleet(): { readonly repository: string; readonly jobs: string } {
    const repository = freshRepository();
    const jobs = join(repository, "wake_jobs");
    mkdirSync(jobs);
    chmodSync(repository, 0o755);
    chownSync(jobs, ALICE, AGENTS);
    chmodSync(jobs, 0o775);
    return { repository, jobs };
  }

  it("both move its jobs, which stay with their group and mode, so that the other still can", async (context) => {
    if (unprivileged().uid === undefined) context.skip("nobody but root can reach this checkout");
    const { repository, jobs } = sharedFleet();
    putJob(jobs, "harbor-0001");
    chownSync(join(jobs, "harbor-0001.json"), ALICE, AGENTS);
    chmodSync(join(jobs, "harbor-0001.json"), 0o660);
    for (const [user, verb] of [
      [BOB, ["--tick", "--now", atNoon()]],
      [ALICE, ["claim", "--job", "harbor-0001", "--worker-id", "alice", "--now", atNoon()]],
      [BOB, ["block", "harbor-0001", "--detail", "waits"]],
    ] as const) {
      const run = await runCli({ cwd: repository, ...as(user) }, ...verb);
      expect(run.stderr).toBe("");
      expect(run.code).toBe(0);
      const { uid, gid, mode } = statSync(join(jobs, "harbor-0001.json"));
      expect({ uid, gid, mode: mode & 0o777 }).toEqual({ uid: user, gid: AGENTS, mode: 0o660 });
    }
    const { gid, mode } = statSync(join(jobs, ".lock.d"));
    expect({ gid, mode: mode & 0o7777 }).toEqual({ gid: AGENTS, mode: 0o775 });
  });

  it("root, who moves a job of theirs, leaves it theirs", async () => {
    const { repository, jobs } = sharedFleet();
    putJob(jobs, "harbor-0001");
    chownSync(join(jobs, "harbor-0001.json"), ALICE, AGENTS);
    chmodSync(join(jobs, "harbor-0001.json"), 0o640);
    expect((await runCli({ cwd: repository }, "--tick", "--now", atNoon())).code).toBe(0);
    const { uid, gid, mode } = statSync(join(jobs, "harbor-0001.json"));
    expect({ uid, gid, mode: mode & 0o777 }).toEqual({ uid: ALICE, gid: AGENTS, mode: 0o640 });
    expect(statSync(join(jobs, ".lock.d"))).toMatchObject({ uid: ALICE, gid: AGENTS });
  });

  it("a job whose group the mover may not give is refused by name, and the others move", async (context) => {
    if (unprivileged().uid === undefined) context.skip("nobody but root can reach this checkout");
    const { repository, jobs } = sharedFleet();
    for (const id of ["harbor-0001", "harbor-0002"]) putJob(jobs, id);
    chownSync(join(jobs, "harbor-0001.json"), BOB, 3_000);
    chmodSync(join(jobs, "harbor-0001.json"), 0o660);
    const before = readFileSync(join(jobs, "harbor-0001.json"));
    const run = await runCli<TickSummary>({ cwd: repository, ...as(BOB) }, "--tick", "--now", atNoon());
    expect(run.json.jobs).toMatchObject([{ action: "ERROR", reason: "IO" }, { action: "WAKE" }]);
    expect(run.json.jobs[0]?.error?.message).toContain("check the owner, the group and the mode");
    expect(readFileSync(join(jobs, "harbor-0001.json")).equals(before)).toBe(true);
  });

  it("a lock's directory that the other keeps for himself is told at once, and stays as it is", async (context) => {
    if (unprivileged().uid === undefined) context.skip("nobody but root can reach this checkout");
    const { repository, jobs } = sharedFleet();
    putJob(jobs, "harbor-0001");
    mkdirSync(join(jobs, ".lock.d"));
    chownSync(join(jobs, ".lock.d"), ALICE, ALICE);
    chmodSync(join(jobs, ".lock.d"), 0o700);
    const run = await runCli<{ code: string; message: string }>(
      { cwd: repository, ...as(BOB) },
      ...["--tick", "--json", "--now", atNoon()],
    );
    expect(run.code).toBe(4);
    expect(run.json).toMatchObject({ ok: false, code: "LOCK_UNAVAILABLE" });
    expect(run.json.message).toContain("check the owner, the group and the mode");
    expect(statSync(join(jobs, ".lock.d")).mode & 0o7777).toBe(0o700);
  });
});

describe.runIf(process.getuid?.() === 0)("a jobs directory that this user may only read", () => {
  it("is ticked while nothing is to be written, and told with what to do when something is", async (context) => {
    if (unprivileged().uid === undefined) context.skip("nobody but root can reach this checkout");
    const repository = freshRepository();
    const jobs = join(repository, "wake_jobs");
    mkdirSync(jobs);
    for (const directory of [repository, jobs]) chmodSync(directory, 0o755);
    putJob(jobs, "harbor-0001", { next_wake_at: "2098-01-01T00:00:00Z" });
    const quiet = await runCli<TickSummary>({ cwd: repository, ...unprivileged() }, "--tick", "--now", atNoon());
    expect(quiet.json.jobs).toMatchObject([{ action: "STOP", reason: "NOT_DUE" }]);
    expect(quiet.code).toBe(0);

    putJob(jobs, "harbor-0002");
    const due = await runCli({ cwd: repository, ...unprivileged() }, "--tick", "--json", "--now", atNoon());
    expect(due.json).toMatchObject({ ok: false, code: "LOCK_UNAVAILABLE" });
    expect(due.json["message"]).toContain("check the owner, the group and the mode (EACCES)");
    expect(due.code).toBe(4);
    expect(readdirSync(jobs).sort()).toEqual(["harbor-0001.json", "harbor-0002.json"]);
  });
});
