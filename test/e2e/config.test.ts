import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { TickSummary } from "../../src/wake/summary.ts";
import { directoryBytes, jobBytes } from "../support/directory-bytes.ts";
import { freshFleet } from "../support/fresh-fleet.ts";
import { git } from "../support/git.ts";
import { addRemote, commitAll } from "../support/git-repository.ts";
import { putJob } from "../support/job-builder.ts";
import { atNoon } from "../support/noon.ts";
import { type CliOptions, type CliRun, runCli } from "../support/run-cli.ts";

let repository: string;
let jobs: string;
beforeEach(() => {
  ({ repository, jobs } = freshFleet());
});

function configure(config: unknown, file = "harness-wake.json"): void {
  writeFileSync(join(repository, file), typeof config === "string" ? config : JSON.stringify(config));
}

function tick(options: Partial<CliOptions> = {}, ...args: readonly string[]): Promise<CliRun<TickSummary>> {
  return runCli<TickSummary>({ cwd: repository, ...options }, "--tick", "--now", atNoon(), ...args);
}

describe("a config that cannot be used is refused before anything is written, exit 2", () => {
  const REFUSED: readonly (readonly [config: unknown, says: string])[] = [
    [{ jobs_dri: "x" }, "unknown key jobs_dri"],
    [{ ntfy: { url: "https://ntfy.sh/a" } }, "unknown key ntfy.url"],
    [{ git: { force: true } }, "unknown key git.force"],
    [{ holds: { CURSOR_QUOTA_HOLD: { disabled: true } } }, "unknown key holds.CURSOR_QUOTA_HOLD.disabled"],
    [{ jobs_dir: "../elsewhere" }, "jobs_dir must be a directory inside the repository"],
    [{ jobs_dir: "/tmp" }, "jobs_dir must be a directory inside the repository"],
    [{ store: "s3" }, 'store must be "file" or "git"'],
    [{ holds: { lower: {} } }, "must be named like X_HOLD"],
    [{ holds: { X_HOLD: { match: ["--"] } } }, "must hold a letter or digit"],
    ["{", "is not JSON"],
    ["[]", "the file"],
  ];

  it.each(REFUSED)("%j", async (config, says) => {
    configure(config);
    putJob(jobs, "harbor-0001");
    const before = directoryBytes(repository);
    for (const verb of [["--tick"], ["list"], ["cancel", "harbor-0001"]]) {
      const { json, code, stderr } = await runCli({ cwd: repository }, ...verb);
      expect(json).toMatchObject({ ok: false, code: "CONFIG", process_model_invocations: 0 });
      expect(json["message"]).toMatch(/harness-wake\.json: /);
      expect(json["message"]).toContain(says);
      expect(stderr).not.toMatch(/\n\s+at /);
      expect(code).toBe(2);
    }
    expect(directoryBytes(repository)).toEqual(before);
  });

  it.each([
    ['{"ntfy":{"urls":[http://SECRET@127.0.0.1/a]}}'],
    ['{"ntfy":{"urls":["https://ntfy.sh/a"],"token_env":"tk_SECRET"}}'],
    ['{"ntfy":{"urls":["https://me:SECRET@ntfy.sh/a?x"]}}'],
    ['{"ntfy":{"urls":["https://me:SECRET%@ntfy.sh/a"]}}'],
  ])("and no token in it is told: %s", async (config) => {
    configure(config);
    const { code, stdout, stderr } = await tick({}, "--deliver", "--debug");
    expect(code).toBe(2);
    expect(stdout + stderr).not.toContain("SEC");
  });

  it("a value of the environment is checked as well, and told apart", async () => {
    const { json, code } = await runCli({ cwd: repository, env: { HARNESS_WAKE_JOBS_DIR: "../x" } }, "--tick");
    expect(json["message"]).toMatch(/environment.*jobs_dir must be/);
    expect(code).toBe(2);
  });
});

describe("flag over environment over file over default", () => {
  beforeEach(() => {
    for (const name of ["by-file", "by-environment", "by-flag", "by-other-file"]) {
      mkdirSync(join(repository, name));
      putJob(join(repository, name), `harbor-${name}`);
    }
    putJob(jobs, "harbor-by-default");
  });
  const listed = async (options: Partial<CliOptions>, ...args: readonly string[]): Promise<readonly unknown[]> => {
    const run = await runCli<{ jobs: { job_id: string }[] }>({ cwd: repository, ...options }, "list", ...args);
    return run.json.jobs.map(({ job_id }) => job_id);
  };
  const env = { HARNESS_WAKE_JOBS_DIR: "by-environment" };

  it("holds for the jobs directory, with a tick and with a verb", async () => {
    expect(await listed({})).toEqual(["harbor-by-default"]);
    configure({ jobs_dir: "by-file" });
    configure({ jobs_dir: "by-other-file" }, "other.json");
    expect(await listed({})).toEqual(["harbor-by-file"]);
    expect(await listed({}, "--config", "other.json")).toEqual(["harbor-by-other-file"]);
    expect(await listed({ env })).toEqual(["harbor-by-environment"]);
    expect(await listed({ env }, "--jobs-dir", "by-flag")).toEqual(["harbor-by-flag"]);
    expect((await tick({ env }, "--jobs-dir", "by-flag")).json.jobs).toMatchObject([
      { job_id: "harbor-by-flag", action: "WAKE" },
    ]);
    expect((await tick({ env })).json.jobs).toMatchObject([{ job_id: "harbor-by-environment", action: "WAKE" }]);
    expect((await tick()).json.jobs).toMatchObject([{ job_id: "harbor-by-file", action: "WAKE" }]);
  });

  it("an empty variable, as a workflow hands in for an unset one, says nothing", async () => {
    configure({ jobs_dir: "by-file" });
    expect(await listed({ env: { HARNESS_WAKE_JOBS_DIR: "" } })).toEqual(["harbor-by-file"]);
  });

  it("an empty HARNESS_WAKE_WORKER_ID leaves this host's name", async () => {
    const { json } = await tick({ env: { HARNESS_WAKE_WORKER_ID: "" } });
    expect(json.worker_id).toBe(hostname());
  });

  it("the root is found from a directory below it, and messages name files as seen from there", async () => {
    writeFileSync(join(jobs, "broken-0001.json"), "{");
    const run = await tick({ cwd: join(repository, "by-flag") });
    expect(run.json.jobs).toMatchObject([
      { action: "ERROR", error: { file: "../wake_jobs/broken-0001.json" } },
      { action: "WAKE", job_id: "harbor-by-default" },
    ]);
  });

  it("--worker-id over HARNESS_WAKE_WORKER_ID says who ticked", async () => {
    const workerEnv = { HARNESS_WAKE_WORKER_ID: "from-env" };
    expect((await tick({ env: workerEnv }, "--dry-run")).json.worker_id).toBe("from-env");
    expect((await tick({ env: { HARNESS_WAKE_WORKER_ID: "" } }, "--dry-run")).json.worker_id).not.toBe("");
    expect((await tick({ env: workerEnv }, "--worker-id", "from-flag")).json.worker_id).toBe("from-flag");
    expect(jobBytes(jobs)["harbor-by-default.json"]).toContain('"holder": "from-flag"');
  });
});

describe("holds", () => {
  const LIFT = { holds: { CURSOR_QUOTA_HOLD: { enabled: false } } };
  const HELD = { action: "HOLD", reason: "CURSOR_QUOTA_HOLD", invoke_model: false };
  const action = async (options: Partial<CliOptions> = {}, ...args: readonly string[]) =>
    (await tick(options, "--dry-run", ...args)).json.jobs[0];

  beforeEach(() => {
    putJob(jobs, "harbor-cursor-01", { harness: "C.U-R s_o[r] Agent" });
    commitAll(repository);
  });

  it("lists the built-in hold and the roads that it shuts", async () => {
    const { json, code } = await runCli({ cwd: repository }, "holds");
    expect(code).toBe(0);
    expect(json).toMatchObject({
      ok: true,
      holds: [{ name: "CURSOR_QUOTA_HOLD", match: ["cursor", "grokbot", "issue1316"] }],
      roads: [
        { road: "Slack app spawn", measured: true, enabled: false },
        { road: "this-run timer follow-up", measured: true, enabled: false },
        { road: "issue 1316 desktop doorbell", measured: true, enabled: false },
        { road: "ntfy mail", measured: true, enabled: false },
        { measured: false, enabled: false, state: "UNMEASURED" },
      ],
    });
    expect(JSON.stringify(json)).not.toMatch(/claude/i);
  });

  it("a held job is not woken and not changed", async () => {
    const before = jobBytes(jobs);
    expect((await tick()).json.jobs).toMatchObject([HELD]);
    expect(jobBytes(jobs)).toEqual(before);
  });

  it("are not lifted by a local file, a --config file, the index, or the environment", async () => {
    configure(LIFT);
    expect(await action()).toMatchObject(HELD);
    git(repository, "add", "-A");
    expect(await action()).toMatchObject(HELD);
    configure(LIFT, "lift.json");
    expect(await action({}, "--config", "lift.json")).toMatchObject(HELD);
    expect(await action({ env: { HARNESS_WAKE_HOLDS: '{"CURSOR_QUOTA_HOLD":{"enabled":false}}' } })).toMatchObject(HELD);
  });

  it("are not lifted by a flag or variable that says where git HEAD is", async () => {
    git(repository, "checkout", "-q", "-b", "proposal");
    configure(LIFT);
    commitAll(repository);
    git(repository, "checkout", "-q", "main");
    git(repository, "commit", "-q", "--allow-empty", "-m", "state");
    addRemote(repository, "origin", "main", "proposal");
    addRemote(repository, "elsewhere", "proposal:main");
    configure(LIFT);
    expect(await action()).toMatchObject(HELD);
    expect(await action({ env: { HARNESS_WAKE_GIT_PAGES_BRANCH: "proposal" } })).toMatchObject(HELD);
    expect(await action({ env: { HARNESS_WAKE_GIT_REMOTE: "elsewhere" } })).toMatchObject(HELD);
    configure({ ...LIFT, git: { pages_branch: "proposal" } }, "lift.json");
    expect(await action({}, "--config", "lift.json")).toMatchObject(HELD);
  });

  it("are not lifted by a commit elsewhere than at the head, or by a broken file there", async () => {
    git(repository, "checkout", "-q", "-b", "proposal");
    configure(LIFT);
    commitAll(repository);
    git(repository, "checkout", "-q", "main");
    configure(LIFT);
    expect(await action()).toMatchObject(HELD);
    configure({ ...LIFT, nonsense: true });
    commitAll(repository);
    configure(LIFT);
    expect(await action()).toMatchObject(HELD);
  });

  it("are lifted by the owner's config as committed at git HEAD, while the local file says so too", async () => {
    configure(LIFT);
    commitAll(repository);
    expect(await action()).toMatchObject({ action: "WAKE" });
    expect((await runCli({ cwd: repository }, "holds")).json).toMatchObject({
      holds: [],
      roads: [{ enabled: true }, {}, {}, {}, {}],
    });
    rmSync(join(repository, "harness-wake.json"));
    expect(await action()).toMatchObject(HELD);
  });

  it("are lifted with a remote only by what is pushed to it", async () => {
    const remote = addRemote(repository);
    configure(LIFT);
    commitAll(repository);
    expect(await action()).toMatchObject(HELD);
    git(repository, "push", "-q", "origin", "main");
    expect(await action()).toMatchObject({ action: "WAKE" });
    rmSync(remote, { recursive: true });
    expect(await action(), "with a remote that cannot be asked").toMatchObject(HELD);
  });

  it("can be added by the local file or the committed one; the built-in one matches first", async () => {
    putJob(jobs, "harbor-codex-001", { harness: "Codex CLI" });
    configure({ holds: { CODEX_HOLD: { match: ["codex", "cursor"], note: "away" } } });
    const { json } = await tick({}, "--dry-run");
    expect(json.jobs).toMatchObject([{ action: "HOLD", reason: "CODEX_HOLD" }, HELD]);
    commitAll(repository);
    configure({ holds: { ...LIFT.holds, OTHER_HOLD: { match: ["other"] } } });
    expect(
      (await runCli<{ holds: { name: string }[] }>({ cwd: repository }, "holds")).json.holds.map(({ name }) => name),
    ).toEqual(["CURSOR_QUOTA_HOLD", "OTHER_HOLD", "CODEX_HOLD"]);
  });

  it("are not lifted by a variable or a --config file that names another branch or remote to read the lift from", async () => {
    addRemote(repository);
    configure(LIFT);
    commitAll(repository);
    git(repository, "push", "-q", "origin", "HEAD:proposal");
    addRemote(repository, "fork");
    expect(await action({ env: { HARNESS_WAKE_GIT_PAGES_BRANCH: "proposal" } })).toMatchObject(HELD);
    expect(await action({ env: { HARNESS_WAKE_GIT_REMOTE: "fork" } })).toMatchObject(HELD);
    configure({ git: { pages_branch: "proposal" }, ...LIFT }, "elsewhere.json");
    expect(await action({}, "--config", "elsewhere.json")).toMatchObject(HELD);
  });

  it("are lifted by a committed file in UTF-16, as PowerShell redirects", async () => {
    writeFileSync(join(repository, "harness-wake.json"), Buffer.from(`\uFEFF${JSON.stringify(LIFT)}`, "utf16le"));
    expect(await action()).toMatchObject(HELD);
    commitAll(repository);
    expect(await action()).toMatchObject({ action: "WAKE" });
  });

  it("that the committed file adds are not lifted by a local edit", async () => {
    putJob(jobs, "harbor-codex-001", { harness: "Codex CLI" });
    configure({ holds: { CODEX_HOLD: { match: ["codex"] } } });
    commitAll(repository);
    configure({ holds: { CODEX_HOLD: { match: ["codex"], enabled: false } } });
    expect(await action()).toMatchObject({ action: "HOLD", reason: "CODEX_HOLD" });
    commitAll(repository);
    expect(await action()).toMatchObject({ action: "WAKE", job_id: "harbor-codex-001" });
  });
});
