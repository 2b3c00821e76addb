import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { findPinnedPackage, installLine, nodeModules } from "../../src/cli/pinned-package.ts";
import { watchdogWorkflow } from "../../src/cli/watchdog-workflow.ts";
import type { TickSummary } from "../../src/wake/summary.ts";
import { cloneBytes } from "../support/clone-bytes.ts";
import { directoryBytes } from "../support/directory-bytes.ts";
import { git, gitOutput } from "../support/git.ts";
import { bareRepository, cloneOf, commitAll, freshRepository, writeIn } from "../support/git-repository.ts";
import { jobDocument } from "../support/job-builder.ts";
import { startNtfyProcess } from "../support/ntfy-process.ts";
import { runCli } from "../support/run-cli.ts";
import { tempDirectory } from "../support/temp-directory.ts";

const SCHEMA = "./node_modules/harness-wake/schema/config.json";
const ROOT = join(import.meta.dirname, "../..");
const WORKFLOW = ".github/workflows/job-watchdog.yml";

interface InitAnswer {
  readonly ok: boolean;
  readonly code?: string;
  readonly message?: string;
  readonly files: readonly string[];
  readonly left_to_do: readonly string[];
}

/** A checkout of a repository whose default branch is `trunk`, pushed to its remote. */
function checkout(files: Readonly<Record<string, string>> = { "README.md": "mine\n" }, branch = "trunk") {
  const remote = bareRepository();
  git(remote, "symbolic-ref", "HEAD", `refs/heads/${branch}`);
  const directory = freshRepository();
  git(directory, "checkout", "-q", "-b", branch);
  for (const [path, text] of Object.entries(files)) writeIn(directory, path, text);
  commitAll(directory);
  git(directory, "remote", "add", "origin", remote);
  git(directory, "push", "-q", "-u", "origin", branch);
  return { directory, remote };
}

function configIn(directory: string): unknown {
  return JSON.parse(readFileSync(join(directory, "harness-wake.json"), "utf8"));
}

function filesOn(remote: string, branch: string): readonly string[] {
  return git(remote, "ls-tree", "-r", "--name-only", branch).split("\n");
}

describe("init", () => {
  test("puts the jobs on a branch of their own, made on the remote, and writes config and workflow", async () => {
    const { directory, remote } = checkout();
    const head = git(remote, "rev-parse", "trunk");
    const run = await runCli<InitAnswer>({ cwd: directory }, "init");
    expect(run.code).toBe(0);
    expect(run.json).toMatchObject({ branch: "wake-state", moved_jobs: 0 });
    expect(run.json.files).toEqual(["harness-wake.json", "p/README.md", WORKFLOW]);
    expect(run.json.left_to_do.join("\n")).toMatch(/push to trunk: these files[\s\S]*topic[\s\S]*token[\s\S]*protected/);
    // Nothing is installed here: npx would take whatever a registry has under that name.
    expect(run.json.left_to_do.at(-1)).toContain("`harness-wake create");
    expect(configIn(directory)).toEqual({
      $schema: SCHEMA,
      jobs_dir: "wake_jobs",
      pages_dir: "p",
      store: "git",
      git: { branch: "wake-state" },
    });
    expect(filesOn(remote, "wake-state")).toEqual(["wake_jobs/README.md"]);
    expect(git(remote, "rev-list", "--count", "wake-state")).toBe("1");
    expect(git(remote, "rev-parse", "trunk")).toBe(head);
    commitAll(directory);
    git(directory, "push", "-q");
    expect(await runCli({ cwd: directory }, "--tick", "--land")).toMatchObject({ code: 0, json: { store: "git", jobs: [] } });
    expect(git(directory, "status", "--porcelain")).toBe("");
  });

  test("reads the remote's default branch for the workflow, unless told another", async () => {
    const { directory } = checkout();
    await runCli({ cwd: directory }, "init");
    expect(readFileSync(join(directory, WORKFLOW), "utf8")).toContain('branches:\n      - "trunk"');
    const other = checkout();
    await runCli({ cwd: other.directory }, "init", "--branch", "release/9");
    expect(readFileSync(join(other.directory, WORKFLOW), "utf8")).toContain('branches:\n      - "release/9"');
  });

  test("moves the jobs of a file store over, byte for byte, and keeps what the config says besides", async () => {
    const text = `${JSON.stringify(jobDocument("harbor-move-0001"))}\n`;
    const { directory, remote } = checkout({
      "wake_jobs/harbor-move-0001.json": text,
      "wake_jobs/harbor-half-0001.json": "{",
      "wake_jobs/_notes.json": "{}",
      "harness-wake.json": JSON.stringify({ ntfy: { urls: ["https://ntfy.sh/harbor"] } }),
    });
    const run = await runCli<InitAnswer>({ cwd: directory }, "init");
    expect(run).toMatchObject({ code: 0, json: { moved_jobs: 2 } });
    expect(filesOn(remote, "wake-state")).toEqual([
      "wake_jobs/README.md",
      "wake_jobs/harbor-half-0001.json",
      "wake_jobs/harbor-move-0001.json",
    ]);
    expect(gitOutput(remote, ["show", "wake-state:wake_jobs/harbor-move-0001.json"])).toBe(text);
    expect(readdirSync(join(directory, "wake_jobs"))).toEqual(["_notes.json"]);
    expect(configIn(directory)).toMatchObject({ ntfy: { urls: ["https://ntfy.sh/harbor"] }, git: { branch: "wake-state" } });
  });

  test("moves the jobs of a git store from where the remote has them, not from an old checkout", async () => {
    const { directory, remote } = checkout({ "harness-wake.json": '{"store":"git"}' });
    const job = ["--owner", "HARBOR", "--harness", "script", "--objective", "Go", "--within", "2d"];
    await runCli({ cwd: directory }, "create", "harbor-move-0001", ...job);
    const run = await runCli({ cwd: directory }, "init", "--state-branch", "jobs/state");
    expect(run).toMatchObject({ code: 0, json: { branch: "jobs/state", moved_jobs: 1 } });
    expect(filesOn(remote, "jobs/state")).toContain("wake_jobs/harbor-move-0001.json");
  });

  test("--on-main keeps the jobs beside the code, and makes no branch", async () => {
    const { directory, remote } = checkout();
    const run = await runCli<InitAnswer>({ cwd: directory }, "init", "--on-main", "--first-job", "first-job-0001");
    expect(run.json.files).toEqual([
      "harness-wake.json",
      "wake_jobs/.gitignore",
      "wake_jobs/README.md",
      "wake_jobs/first-job-0001.json",
      "p/README.md",
      WORKFLOW,
    ]);
    expect(configIn(directory)).toEqual({ $schema: SCHEMA, jobs_dir: "wake_jobs", pages_dir: "p", store: "git" });
    expect(readFileSync(join(directory, WORKFLOW), "utf8")).toContain('- "wake_jobs/**"');
    expect(git(remote, "branch", "--list")).toMatch(/^\S+\s*trunk$/);
    commitAll(directory);
    git(directory, "push", "-q");
    expect(await runCli({ cwd: directory }, "--tick")).toMatchObject({ code: 0, json: { wake_count: 1 } });
  });

  test("--first-job puts a job there that the first tick wakes", async () => {
    const { directory } = checkout();
    await runCli({ cwd: directory }, "init", "--first-job", "first-job-0001");
    commitAll(directory);
    git(directory, "push", "-q");
    expect(await runCli({ cwd: directory }, "--tick")).toMatchObject({
      json: { jobs: [{ job_id: "first-job-0001", action: "WAKE" }] },
    });
  });

  test.each([
    ["--first-job", "no id"],
    ["--state-branch", "refs/heads/x"],
    ["--state-branch", "no branch"],
  ])("%s %j is refused before anything is made", async (...args) => {
    const { directory, remote } = checkout();
    const before = directoryBytes(directory);
    expect((await runCli({ cwd: directory }, "init", ...args)).code).toBe(2);
    expect(directoryBytes(directory)).toEqual(before);
    expect(git(remote, "branch", "--list")).toMatch(/^\S+\s*trunk$/);
  });

  test.each([
    ["a workflow of that name", { [WORKFLOW]: "mine\n" }, "job-watchdog.yml is there already"],
    [
      "a config that has them on a branch",
      { "harness-wake.json": '{"store":"git","git":{"branch":"x"}}' },
      "keeps the jobs on x",
    ],
  ])("refuses %s, by name, and writes nothing", async (_, files, says) => {
    const { directory, remote } = checkout({ "README.md": "mine\n", ...files });
    const before = directoryBytes(directory);
    const run = await runCli<InitAnswer>({ cwd: directory }, "init");
    expect(run).toMatchObject({ code: 3, json: { code: "EXISTS", message: expect.stringContaining(says) } });
    expect(directoryBytes(directory)).toEqual(before);
    expect(git(remote, "branch", "--list")).toMatch(/^\S+\s*trunk$/);
  });

  test("--worker puts a job for that agent into the workflow, and says what it needs", async () => {
    const { directory } = checkout();
    const run = await runCli<InitAnswer>({ cwd: directory }, "init", "--worker", "claude-code");
    const workflow = readFileSync(join(directory, WORKFLOW), "utf8");
    expect(workflow).toContain("work --harness claude-code --agent claude-code --once");
    const said = run.json.left_to_do.join("\n");
    expect(said).toMatch(/Pin claude-code[\s\S]*@anthropic-ai\/claude-code@\d+\.\d+\.\d+`[\s\S]*secret ANTHROPIC_API_KEY/);
    expect(said).toContain("--harness claude-code");
    // Mail is for harnesses elsewhere: without a topic a tick wakes all the same.
    expect(workflow).toContain(`--tick \${HARNESS_WAKE_NTFY_URLS:+--deliver} --land`);
  });

  test("--worker on a fleet that is there already writes the workflow anew, and nothing else", async () => {
    const { directory, remote } = checkout();
    await runCli({ cwd: directory }, "init");
    const [config, head] = [configIn(directory), git(remote, "rev-parse", "wake-state")];
    const run = await runCli<InitAnswer>({ cwd: directory }, "init", "--worker", "codex");
    expect(run).toMatchObject({ code: 0, json: { files: [WORKFLOW], branch: "wake-state" } });
    expect(readFileSync(join(directory, WORKFLOW), "utf8")).toContain("--agent codex");
    expect(configIn(directory)).toEqual(config);
    expect(git(remote, "rev-parse", "wake-state")).toBe(head);
  });

  test("--worker leaves a workflow alone that somebody changed", async () => {
    const { directory } = checkout();
    await runCli({ cwd: directory }, "init");
    writeFileSync(join(directory, WORKFLOW), `${readFileSync(join(directory, WORKFLOW), "utf8")}# mine\n`);
    const before = directoryBytes(directory);
    const run = await runCli<InitAnswer>({ cwd: directory }, "init", "--worker", "claude-code");
    expect(run).toMatchObject({
      code: 3,
      json: { code: "EXISTS", message: expect.stringContaining("job-watchdog.yml is there") },
    });
    expect(directoryBytes(directory)).toEqual(before);
  });

  test("a branch of that name on the remote is somebody else's: refused, and nothing is written", async () => {
    const { directory, remote } = checkout();
    git(remote, "branch", "wake-state", "trunk");
    const before = cloneBytes(directory);
    const run = await runCli({ cwd: directory }, "init");
    expect(run).toMatchObject({ code: 2, json: { code: "CONFIG", message: expect.stringContaining("wake-state already") } });
    expect(cloneBytes(directory)).toEqual(before);
  });

  test.each([
    ["outside a repository", () => tempDirectory(), "git init"],
    ["without a remote", () => freshRepository(), "git remote add origin"],
    [
      "with a remote that is empty",
      () => {
        const directory = freshRepository();
        git(directory, "remote", "add", "origin", bareRepository());
        return directory;
      },
      "push a first commit",
    ],
  ])("%s it says what is missing", async (_, make, says) => {
    const directory = make();
    const before = directoryBytes(directory);
    const run = await runCli({ cwd: directory }, "init");
    expect(run).toMatchObject({ code: 2, json: { code: "CONFIG", message: expect.stringContaining(says) } });
    expect(directoryBytes(directory)).toEqual(before);
  });

  test("--jobs-dir says where the jobs are to be", async () => {
    const { directory, remote } = checkout();
    await runCli<InitAnswer>({ cwd: directory }, "init", "--jobs-dir", "ops/fleet");
    expect(configIn(directory)).toMatchObject({ jobs_dir: "ops/fleet" });
    expect(filesOn(remote, "wake-state")).toEqual(["ops/fleet/README.md"]);
  });

  test.each([".", "..", "../elsewhere"])("--jobs-dir %s is refused: it is not inside the repository", async (jobsDir) => {
    const { directory } = checkout();
    const before = directoryBytes(directory);
    const run = await runCli<InitAnswer>({ cwd: directory }, "init", "--jobs-dir", jobsDir);
    expect(run).toMatchObject({ code: 2, json: { code: "USAGE" } });
    expect(directoryBytes(directory)).toEqual(before);
  });

  test.each(["p", ".github"])("writes nothing where a file stands in the place of %s, and says so", async (path) => {
    const { directory, remote } = checkout({ [path]: "mine\n" });
    const run = await runCli<InitAnswer>({ cwd: directory }, "init");
    expect(run).toMatchObject({ code: 2, json: { ok: false, code: "CONFIG", message: expect.stringContaining(path) } });
    expect(git(directory, "status", "--porcelain")).toBe("");
    expect(git(remote, "branch", "--list")).toMatch(/^\S+\s*trunk$/);
  });

  test("refuses in a pull request run", async () => {
    const { directory } = checkout();
    const env = { GITHUB_EVENT_NAME: "pull_request" };
    expect(await runCli({ cwd: directory, env }, "init")).toMatchObject({ code: 2, json: { code: "USAGE" } });
  });
});

/** A token that is sent to ntfy, and must stand nowhere else: not in what is printed, and not in what is pushed. */
const PLANTED = "tk_planted0000000000000000000000";

test("a new user: init, a first job, the workflow's own command in a second clone, the claim in a third", async () => {
  const { directory: mine, remote } = checkout();
  await runCli({ cwd: mine }, "init");
  commitAll(mine, "Set harness-wake up");
  git(mine, "push", "-q", "origin", "HEAD:trunk");
  const job = ["--owner", "HARBOR", "--harness", "script", "--objective", "Write the notes.", "--within", "2d"];
  expect(await runCli({ cwd: mine }, "create", "release-notes-01", ...job)).toMatchObject({ code: 0 });

  const ntfy = await startNtfyProcess();
  try {
    const ci = cloneOf(remote);
    const [, command = ""] =
      /run: \S+\/harness-wake (--tick --deliver .*)\n/.exec(readFileSync(join(ci, WORKFLOW), "utf8")) ?? [];
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
    const said = [tick.stdout, tick.stderr, report, git(remote, "log", "-p", "wake-state")].join("\n");
    expect(said).not.toContain(PLANTED);
    expect(JSON.stringify(await ntfy.requests())).toContain(`Bearer ${PLANTED}`);

    const [mail] = await ntfy.messages("new-user");
    const claim = await runCli({ cwd: cloneOf(remote), stdin: mail?.message ?? "" }, "claim", "-", "--worker-id", "my-harness");
    expect(claim).toMatchObject({ code: 0, json: { state: "CLAIMED", attempt_id: "release-notes-01-a01" } });
  } finally {
    await ntfy.stop();
  }
  expect(git(remote, "log", "--format=%s", "wake-state").split("\n")).toEqual([
    "harness-wake: CLAIMED release-notes-01-a01 [skip ci]",
    "harness-wake: MAIL release-notes-01-a01 [skip ci]",
    "harness-wake: WAKE RUNNABLE release-notes-01-a01 [skip ci]",
    "harness-wake: create release-notes-01 [skip ci]",
    "harness-wake: set up wake-state [skip ci]",
  ]);
});

describe("the watchdog's workflow", () => {
  const own = readFileSync(join(ROOT, WORKFLOW), "utf8");
  const [, look = "", watch = ""] = /\n {2}look:\n([\s\S]*)\n {2}watch:\n([\s\S]*)$/.exec(own) ?? [];

  test("of this repository is the one that init writes, but for how the program gets there", () => {
    const paths = ["wake_jobs/**", "p/**", "harness-wake.json", WORKFLOW];
    const install = ["npm ci --ignore-scripts", "node scripts/build.mjs"];
    expect(own).toBe(watchdogWorkflow({ branch: "main", paths, install, command: "node dist/cli.cjs", mails: true }));
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
    expect(watch).toMatch(/concurrency:\n {6}group: job-watchdog\n {6}cancel-in-progress: false/);
    expect(own).toContain("permissions: {}");
  });

  test("runs what a lockfile pins, no script of it, and no name from a registry", () => {
    const directory = tempDirectory();
    const found = () => findPinnedPackage(directory, "harness-wake", ".github/harness-wake");
    for (const text of [undefined, "{}", '{"packages":{"node_modules/harness-wake":{"version":"1.0.0"}}}']) {
      if (text !== undefined) writeFileSync(join(directory, "package-lock.json"), text);
      expect(found()).toEqual({ directory: ".github/harness-wake", pinnedBy: undefined });
      expect(installLine(found())).toBe("npm ci --ignore-scripts --prefix .github/harness-wake");
      expect(nodeModules(found())).toBe(".github/harness-wake/node_modules");
    }
    const lock = (resolved?: string) =>
      JSON.stringify({ packages: { "node_modules/harness-wake": { version: "1.0.0", resolved, integrity: "sha512-x" } } });
    const pinnedBy = ["package.json", "package-lock.json"];
    for (const [resolved, files] of [
      ["https://registry.example.net/harness-wake.tgz", pinnedBy],
      // npm can be told to leave the address out; the hash is what pins.
      [undefined, pinnedBy],
      ["file:vendor/harness-wake-1.0.0.tgz", [...pinnedBy, "vendor/harness-wake-1.0.0.tgz"]],
    ] as const) {
      writeFileSync(join(directory, "package-lock.json"), lock(resolved));
      expect(found()).toEqual({ directory: "", pinnedBy: files });
      expect(installLine(found())).toBe("npm ci --ignore-scripts");
    }
    // A runner has nothing of what lies elsewhere on this machine.
    writeFileSync(join(directory, "package-lock.json"), lock("file:../harness-wake-1.0.0.tgz"));
    expect(found().pinnedBy).toBeUndefined();
    expect(own).not.toMatch(/npx|npm (?:ci|install)(?! --ignore-scripts)/);
  });

  test("takes its actions by commit, with the version beside it", () => {
    const uses = own.match(/uses: .*/g) ?? [];
    expect(uses).toHaveLength(4);
    for (const use of uses) expect(use).toMatch(/^uses: actions\/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });
});
