import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { TickSummary } from "../../src/wake/summary.ts";
import { jobBytes } from "../support/directory-bytes.ts";
import { git } from "../support/git.ts";
import { addRemote, cloneOf, commitAll, freshRepository, writeIn } from "../support/git-repository.ts";
import { putJob } from "../support/job-builder.ts";
import { atNoon } from "../support/noon.ts";
import { type CliOptions, type CliRun, runCli } from "../support/run-cli.ts";
import { tempDirectory } from "../support/temp-directory.ts";

const ON_HEAD = { completion_predicate: { type: "result_address_on_head" } } as const;

const STEP_NINE = { completion_predicate: { type: "checkpoint_equals", value: 9 } } as const;

/** Two jobs that need a page, and one that does not. */
function putJobs(directory: string): string {
  const jobs = join(directory, "wake_jobs");
  mkdirSync(jobs);
  mkdirSync(join(directory, "p"));
  putJob(jobs, "harbor-page-0001", { ...ON_HEAD, result_address: "harbor-page-0001" });
  putJob(jobs, "harbor-page-0002", { ...ON_HEAD, result_address: "harbor-page-0002" });
  putJob(jobs, "harbor-plain-001");
  return jobs;
}

function tick(cwd: string, options: Partial<CliOptions> = {}): Promise<CliRun<TickSummary>> {
  return runCli<TickSummary>({ cwd, ...options }, "--tick", "--now", atNoon());
}

const DONE = { action: "STOP", reason: "DONE", status: "DONE" };
const WAKE = { action: "WAKE" };
const UNAVAILABLE = { action: "ERROR", reason: "TRUTH_UNAVAILABLE", invoke_model: false };

describe("a page counts when it is a non-empty regular file in the commit at git HEAD", () => {
  let repository: string;
  const page = (id: string): string => join(repository, "p", `${id}.md`);
  beforeEach(() => {
    repository = freshRepository();
    putJobs(repository);
    commitAll(repository);
  });

  it("and not while it is only in the work tree or the index", async () => {
    writeFileSync(page("harbor-page-0001"), "done\n");
    writeFileSync(page("harbor-page-0002"), "done\n");
    git(repository, "add", page("harbor-page-0002"));
    expect((await tick(repository)).json.jobs).toMatchObject([WAKE, WAKE, WAKE]);
  });

  it("and not when it is empty or a link; what the work tree says meanwhile does not matter", async () => {
    writeFileSync(page("harbor-page-0001"), "");
    symlinkSync("../wake_jobs/harbor-plain-001.json", page("harbor-page-0002"));
    commitAll(repository);
    writeFileSync(page("harbor-page-0001"), "done\n");
    expect((await tick(repository)).json.jobs).toMatchObject([WAKE, WAKE, WAKE]);
  });

  it("and then it does, also when the work tree has lost it", async () => {
    writeFileSync(page("harbor-page-0001"), "done\n");
    commitAll(repository);
    rmSync(page("harbor-page-0001"));
    expect((await tick(repository)).json.jobs).toMatchObject([DONE, WAKE, WAKE]);
  });

  it("of the remote where there is one: an unpushed page is not there, one that a colleague pushed is", async () => {
    const remote = addRemote(repository);
    const colleague = cloneOf(remote);
    writeIn(colleague, "p/harbor-page-0002.md", "done\n");
    commitAll(colleague);
    git(colleague, "push", "-q", "origin", "main");
    writeFileSync(page("harbor-page-0001"), "done\n");
    commitAll(repository);
    const refs = git(repository, "for-each-ref");
    expect((await tick(repository)).json.jobs).toMatchObject([WAKE, DONE, WAKE]);
    // A tick moves no ref of the user's and leaves nothing in the index.
    expect(git(repository, "for-each-ref")).toBe(refs);
    expect(git(repository, "diff", "--cached", "--name-only")).toBe("");
  });
});

describe("where git cannot say what stands, only the jobs that asked become ERROR · TRUTH_UNAVAILABLE", () => {
  /** Expects that over these jobs, and that none of the askers changed. */
  async function expectUnavailable(directory: string, options: Partial<CliOptions> = {}): Promise<void> {
    const { "harbor-plain-001.json": _, ...before } = jobBytes(join(directory, "wake_jobs"));
    const run = await tick(directory, options);
    expect(run.json.jobs).toMatchObject([UNAVAILABLE, UNAVAILABLE, WAKE]);
    expect(run.json.jobs[0]?.error?.message).toMatch(/git/);
    expect(run.code).toBe(1);
    expect(run.stderr).not.toMatch(/\n\s+at /);
    expect(jobBytes(join(directory, "wake_jobs"))).toMatchObject(before);
  }

  it("outside a git repository", async () => {
    const directory = tempDirectory();
    putJobs(directory);
    await expectUnavailable(directory);
  });

  it("with a remote that is gone", async () => {
    const directory = freshRepository();
    putJobs(directory);
    commitAll(directory);
    git(directory, "remote", "add", "origin", join(tempDirectory(), "gone"));
    await expectUnavailable(directory);
  });

  it("on a machine without git", async () => {
    const directory = freshRepository();
    putJobs(directory);
    commitAll(directory);
    await expectUnavailable(directory, { env: { PATH: tempDirectory() } });
  });

  it("and a create that wants to know of its page is refused, exit 4, and done when told not to ask", async () => {
    const directory = tempDirectory();
    const jobs = putJobs(directory);
    const before = jobBytes(jobs);
    const create = ["create", "harbor-new-0001", "--owner", "TESTS", "--harness", "script", "--objective", "x", "--within", "1d"];
    const refused = await runCli({ cwd: directory }, ...create);
    expect(refused).toMatchObject({ code: 4, json: { ok: false, code: "TRUTH_UNAVAILABLE", process_model_invocations: 0 } });
    expect(jobBytes(jobs)).toEqual(before);
    expect(await runCli({ cwd: directory }, ...create, "--allow-existing-page")).toMatchObject({ code: 0 });
  });
});

it("a fleet with nothing to verify makes no call to git", async () => {
  const directory = freshRepository();
  const jobs = join(directory, "wake_jobs");
  mkdirSync(jobs);
  putJob(jobs, "harbor-plain-001", { result_address: "harbor-plain-001" });
  putJob(jobs, "harbor-steps-001", { ...STEP_NINE, result_address: "harbor-steps-001" });
  putJob(jobs, "harbor-ended-001", { ...ON_HEAD, result_address: "harbor-ended-001", status: "CANCELLED" });
  putJob(jobs, "harbor-nopage-01", ON_HEAD);
  // A git that keeps a list of its calls, and fails them.
  const bin = tempDirectory();
  const calls = join(bin, "calls");
  writeFileSync(join(bin, "git"), `#!/bin/sh\necho "$*" >> '${calls}'\nexit 1\n`, { mode: 0o755 });
  const env = { PATH: bin };
  expect(await tick(directory, { env })).toMatchObject({ code: 0, json: { ok: true, wake_count: 3 } });
  expect(existsSync(calls)).toBe(false);
  putJob(jobs, "harbor-steps-001", { ...STEP_NINE, result_address: "harbor-steps-001", checkpoint: { step: 9 } });
  expect((await tick(directory, { env })).json).toMatchObject({ error_count: 1 });
  expect(existsSync(calls)).toBe(true);
});
