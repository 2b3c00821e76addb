import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { watchdogWorkflow } from "../../src/cli/watchdog-workflow.ts";
import type { TickSummary } from "../../src/wake/summary.ts";
import { directoryBytes } from "../support/directory-bytes.ts";
import { git } from "../support/git.ts";
import { addRemote, bareRepository, cloneOf, commitAll, freshRepository } from "../support/git-repository.ts";
import { startNtfyProcess } from "../support/ntfy-process.ts";
import { runCli } from "../support/run-cli.ts";

const ROOT = join(import.meta.dirname, "../..");
const WORKFLOW = ".github/workflows/job-watchdog.yml";

interface InitAnswer {
  readonly ok: boolean;
  readonly code?: string;
  readonly message?: string;
  readonly files: readonly string[];
  readonly left_to_do: readonly string[];
}

describe("init", () => {
  test("makes the directories, the config and the workflow, and says what is left to do", async () => {
    const repository = freshRepository();
    const run = await runCli<InitAnswer>({ cwd: repository }, "init");
    expect(run.code).toBe(0);
    expect(run.json.files).toEqual(["harness-wake.json", "wake_jobs/.gitignore", "wake_jobs/README.md", "p/README.md", WORKFLOW]);
    expect(run.json.left_to_do.join("\n")).toMatch(/topic[\s\S]*token[\s\S]*protected/);
    commitAll(repository);
    addRemote(repository);
    const tick = await runCli({ cwd: repository }, "--tick");
    expect(tick.code).toBe(0);
    expect(git(repository, "status", "--porcelain")).toBe("");
  });

  test("refuses to overwrite, by name, and writes nothing", async () => {
    const repository = freshRepository();
    writeFileSync(join(repository, "harness-wake.json"), '{"jobs_dir":"jobs"}\n');
    const before = directoryBytes(repository);
    const run = await runCli<InitAnswer>({ cwd: repository }, "init");
    expect(run.code).toBe(3);
    expect(run.json.code).toBe("EXISTS");
    expect(run.json.message).toContain("harness-wake.json is there already");
    expect(directoryBytes(repository)).toEqual(before);
  });

  test("--jobs-dir says where the jobs are to be, for config and workflow too", async () => {
    const repository = freshRepository();
    const run = await runCli<InitAnswer>({ cwd: repository }, "init", "--jobs-dir", "ops/fleet");
    expect(run.json.files).toContain("ops/fleet/README.md");
    expect(JSON.parse(readFileSync(join(repository, "harness-wake.json"), "utf8"))).toMatchObject({ jobs_dir: "ops/fleet" });
    expect(readFileSync(join(repository, WORKFLOW), "utf8")).toContain('- "ops/fleet/**"');
    commitAll(repository);
    addRemote(repository);
    expect((await runCli({ cwd: repository }, "--tick")).code).toBe(0);
  });

  test.each([".", "..", "../elsewhere"])("--jobs-dir %s is refused: it is not inside the repository", async (directory) => {
    const repository = freshRepository();
    const before = directoryBytes(repository);
    const run = await runCli<InitAnswer>({ cwd: repository }, "init", "--jobs-dir", directory);
    expect(run).toMatchObject({ code: 2, json: { code: "USAGE" } });
    expect(directoryBytes(repository)).toEqual(before);
  });

  test.each(["p", "wake_jobs", ".github"])("writes nothing where a file stands in the place of %s, and says so", async (path) => {
    const repository = freshRepository();
    writeFileSync(join(repository, path), "mine\n");
    const run = await runCli<InitAnswer>({ cwd: repository }, "init");
    expect(run).toMatchObject({ code: 2, json: { ok: false, code: "CONFIG", message: expect.stringContaining(path) } });
    expect(git(repository, "ls-files", "--others")).toBe(path);
  });

  test("watches the branch that it is told", async () => {
    const repository = freshRepository();
    await runCli({ cwd: repository }, "init", "--branch", "trunk");
    expect(readFileSync(join(repository, WORKFLOW), "utf8")).toContain('branches:\n      - "trunk"');
  });
});

/** A token that is sent to ntfy, and must stand nowhere else: not in what is printed, and not in what is pushed. */
const PLANTED = "tk_planted0000000000000000000000";

test("a new user: init, a first job, the workflow's own command in a second clone, the claim in a third", async () => {
  const remote = bareRepository();
  const mine = cloneOf(remote);
  await runCli({ cwd: mine }, "init");
  commitAll(mine, "Set harness-wake up");
  git(mine, "push", "-q", "origin", "HEAD:main");
  const job = ["--owner", "HARBOR", "--harness", "script", "--objective", "Write the notes.", "--within", "2d"];
  expect(await runCli({ cwd: mine }, "create", "release-notes-01", ...job)).toMatchObject({ code: 0 });

  const ntfy = await startNtfyProcess();
  try {
    const ci = cloneOf(remote);
    const [, command = ""] =
      /run: npx --yes harness-wake@\S+ (--tick --deliver .*)\n/.exec(readFileSync(join(ci, WORKFLOW), "utf8")) ?? [];
    const args = command.split(" ").map((word) => word.replace('"$GITHUB_STEP_SUMMARY"', "summary.md"));
    const env = {
      HARNESS_WAKE_NTFY_URLS: `${ntfy.url}/new-user`,
      HARNESS_WAKE_NTFY_TOKEN_ENV: "NTFY_TOKEN",
      NTFY_TOKEN: PLANTED,
      HARNESS_WAKE_WORKER_ID: "gh-watchdog",
    };
    const tick = await runCli<TickSummary>({ cwd: ci, env }, ...args);
    expect(tick).toMatchObject({ code: 0, json: { wake_count: 1, delivered_count: 1 } });
    const report = readFileSync(join(ci, "summary.md"), "utf8");
    expect(report).toContain("1 wake, 1 mailed");
    expect([tick.stdout, tick.stderr, report, git(remote, "log", "-p", "main")].join("\n")).not.toContain(PLANTED);
    expect(JSON.stringify(await ntfy.requests())).toContain(`Bearer ${PLANTED}`);

    const [mail] = await ntfy.messages("new-user");
    const claim = await runCli({ cwd: cloneOf(remote), stdin: mail?.message ?? "" }, "claim", "-", "--worker-id", "my-harness");
    expect(claim).toMatchObject({ code: 0, json: { state: "CLAIMED", attempt_id: "release-notes-01-a01" } });
  } finally {
    await ntfy.stop();
  }
  expect(git(remote, "log", "--format=%s", "main").split("\n").slice(0, 4)).toEqual([
    "harness-wake: CLAIMED release-notes-01-a01 [skip ci]",
    "harness-wake: MAIL release-notes-01-a01 [skip ci]",
    "harness-wake: WAKE RUNNABLE release-notes-01-a01 [skip ci]",
    "harness-wake: create release-notes-01 [skip ci]",
  ]);
});

describe("the watchdog's workflow", () => {
  const own = readFileSync(join(ROOT, WORKFLOW), "utf8");
  const [, look = "", watch = ""] = /\n {2}look:\n([\s\S]*)\n {2}watch:\n([\s\S]*)$/.exec(own) ?? [];

  test("of this repository is the one that init writes, but for how the program gets there", () => {
    const settings = { branch: "main", jobsDir: "wake_jobs", pagesDir: "p", install: "npm ci", command: "npx harness-wake" };
    expect(own).toBe(watchdogWorkflow(settings));
  });

  test("gives pull requests no secret, no right to write and no mail", () => {
    expect(look).toContain("contents: read");
    expect(look).not.toMatch(/secrets|write|--deliver|--land/);
  });

  test("leaves pull requests the token that can only read, since a private remote tells nobody else of its pages", () => {
    expect(look).toContain("permissions:\n      contents: read\n");
    expect(look).not.toContain("persist-credentials: false");
  });

  test("ticks, lands and mails on the watched branch, one run at a time", () => {
    expect(watch).toContain("--tick --deliver --land");
    expect(own).toMatch(/concurrency:\n {2}group: .*\n {2}cancel-in-progress: false/);
    expect(own).toContain("permissions: {}");
  });
});
