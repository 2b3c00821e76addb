import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Row, TickSummary } from "../../src/wake/summary.ts";
import { directoryBytes, jobBytes } from "../support/directory-bytes.ts";
import { freshFleet } from "../support/fresh-fleet.ts";
import { freshRepository } from "../support/git-repository.ts";
import { jobDocument, putJob } from "../support/job-builder.ts";
import { atNoon } from "../support/noon.ts";
import { type CliRun, runCli } from "../support/run-cli.ts";
import { tempDirectory } from "../support/temp-directory.ts";
import { unprivileged } from "../support/unprivileged.ts";

const STACK_LINE = /\n\s+at /;

/** An error as contract §9 wants it: one record, its code, a message that says these things, and no stack trace. */
function expectError(run: CliRun<unknown>, exit: number, code: string, ...says: readonly (string | RegExp)[]): void {
  expect(run.json).toMatchObject({ ok: false, code, process_model_invocations: 0, invoke_model: false });
  const { message } = run.json as { readonly message: string };
  for (const part of says) expect(message).toMatch(part);
  expect(message).not.toMatch(/\.\.( |$)|undefined/);
  expect(run.stderr).toContain(message);
  expect(run.stderr).not.toMatch(STACK_LINE);
  expect(run.code).toBe(exit);
}

let repository: string;
let jobs: string;
beforeEach(() => {
  ({ repository, jobs } = freshFleet());
});

function cli(...args: readonly string[]): Promise<CliRun<Readonly<Record<string, unknown>>>> {
  return runCli({ cwd: repository }, ...args);
}

function tick(...args: readonly string[]): Promise<CliRun<TickSummary>> {
  return runCli<TickSummary>({ cwd: repository }, "--tick", "--now", atNoon(), ...args);
}

describe("an id on the command line is checked before it ever becomes a path", () => {
  const BAD_IDS = [
    "../x",
    "..",
    "CON",
    "",
    "a".repeat(81),
    "harbor-0001\n",
    "harbor\n0001",
    "a/../../harbor-0001",
    ".harbor-0001",
  ];
  const VERBS: Readonly<Record<string, readonly string[]>> = {
    show: [],
    create: ["--owner", "TESTS", "--harness", "script", "--objective", "x", "--within", "2d"],
    cancel: [],
    update: ["--within", "2d"],
    block: ["--detail", "x"],
    unblock: [],
  };

  it.each(Object.entries(VERBS))("%s refuses each bad id with its rule, exit 2, and writes nothing", async (verb, flags) => {
    writeFileSync(join(repository, "x.json"), JSON.stringify(jobDocument("harbor-0001")));
    const before = directoryBytes(repository);
    for (const id of BAD_IDS) {
      const run = await cli(verb, ...flags, "--", id);
      expectError(run, 2, "SCHEMA", /job.id/, "8 to 80 letters, digits", /^[^\n]*$/);
      expect(run.json).toMatchObject({ field: "job_id" });
    }
    expect(directoryBytes(repository)).toEqual(before);
  });

  it("a create with a bad id does not even make the jobs directory", async () => {
    const run = await cli("create", "../x", ...(VERBS["create"] ?? []), "--jobs-dir", "not-yet");
    expectError(run, 2, "SCHEMA", "job_id");
    expect(existsSync(join(repository, "not-yet"))).toBe(false);
  });

  it("an id of 80 characters is fine", async () => {
    expect(await cli("create", "a".repeat(80), ...(VERBS["create"] ?? []))).toMatchObject({ code: 0 });
  });

  it("a bad id inside a record is refused like one on the command line", async () => {
    const run = await runCli({ cwd: repository, stdin: JSON.stringify(jobDocument("../../escape")) }, "create", "--from", "-");
    expectError(run, 2, "SCHEMA", "job_id", /\.\.\/\.\.\/escape/);
  });
});

describe("a command line that cannot be read is told what is wrong with it, exit 2", () => {
  it.each(["yesterday", "", "2026-02-30", "1764504000"])("--now %j is no time", async (time) => {
    expectError(await cli("--tick", "--now", time), 2, "USAGE", "--now", "must be a time that exists");
  });

  it("an unknown option is named", async () => {
    expectError(await cli("--tick", "--frobnicate"), 2, "USAGE", "--frobnicate", "--help");
    expectError(await cli("list", "--frobnicate"), 2, "USAGE", "--frobnicate", "--help");
  });

  it("an unknown verb is named, and the verbs that there are", async () => {
    expectError(await cli("frobnicate"), 2, "USAGE", '"frobnicate"', "create", "--help");
    expectError(await cli("lst", "--json"), 2, "USAGE", '"lst"', "list");
  });

  it("a missing argument is named", async () => {
    expectError(await cli("show"), 2, "USAGE", "job_id");
    expectError(await cli("block", "harbor-0001"), 2, "USAGE", "--detail");
  });

  it("an option of the tick is refused with a verb, before it and after it", async () => {
    const before = directoryBytes(repository);
    const create = ["create", "harbor-0001", "--owner", "TESTS", "--harness", "script", "--objective", "x", "--within", "2d"];
    expectError(await cli(...create, "--dry-run"), 2, "USAGE", "--dry-run");
    expectError(await cli("--dry-run", ...create), 2, "USAGE", "--dry-run", "create");
    expect(directoryBytes(repository)).toEqual(before);
  });

  it("a stack trace is printed with --debug only, and the record stays as it was", async () => {
    const quiet = await cli("--tick", "--jobs-dir", "nowhere");
    const debug = await cli("--tick", "--jobs-dir", "nowhere", "--debug");
    expect(quiet.stderr).not.toMatch(STACK_LINE);
    expect(debug.stderr).toMatch(STACK_LINE);
    expect(debug.stdout).toBe(quiet.stdout);
  });

  it.runIf(existsSync("/dev/full"))("stdout on a full disk is told, and is no crash", async () => {
    const script = `exec "$@" --tick > /dev/full`;
    const run = await runCli({ cwd: repository, launcher: ["sh", "-c", script, "sh", process.execPath] });
    expect(run.stderr).toMatch(/stdout|standard output/);
    expect(run.stderr).not.toMatch(STACK_LINE);
    expect(run.code).toBe(4);
  });
});

describe("a jobs directory that cannot be used", () => {
  const CREATE = ["create", "harbor-0001", "--owner", "TESTS", "--harness", "script", "--objective", "x", "--within", "2d"];
  const VERBS: readonly (readonly string[])[] = [
    ["--tick"],
    ["list"],
    ["show", "harbor-0001"],
    ["cancel", "harbor-0001"],
    ["update", "harbor-0001", "--within", "2d"],
    ["block", "harbor-0001", "--detail", "x"],
  ];

  it.each([...VERBS, CREATE])("that is a file is told to %s, exit 2", async (...args) => {
    writeFileSync(join(repository, "flat"), "");
    expectError(await cli(...args, "--jobs-dir", "flat"), 2, "CONFIG", "flat", "is not a directory", "--jobs-dir");
    expect(readFileSync(join(repository, "flat"), "utf8")).toBe("");
  });

  it.each(VERBS)("that is not there is told to %s, exit 2", async (...args) => {
    const run = await cli(...args, "--jobs-dir", "nowhere");
    expectError(run, 2, "CONFIG", "nowhere", "is not there", "make it", "--jobs-dir");
    expect(existsSync(join(repository, "nowhere"))).toBe(false);
  });

  it("that is not there is made by the first create, but not the path to it", async () => {
    expect(await cli(...CREATE, "--jobs-dir", "new")).toMatchObject({ code: 0 });
    expect(existsSync(join(repository, "new/harbor-0001.json"))).toBe(true);
    expectError(await cli(...CREATE, "--jobs-dir", "no/where"), 2, "CONFIG", "no/where");
    expect(existsSync(join(repository, "no"))).toBe(false);
  });

  describe("that is read-only", () => {
    const someone = unprivileged();
    beforeEach(() => {
      putJob(jobs, "harbor-due-0001");
      putJob(jobs, "harbor-later-0001", { next_wake_at: "2026-12-01T00:00:00Z" });
      for (const directory of [repository, jobs]) chmodSync(directory, 0o555);
      return () => {
        for (const directory of [repository, jobs]) chmodSync(directory, 0o755);
      };
    });

    it("cannot be locked by a tick that would write: exit 4, and nothing is decided", async () => {
      const before = directoryBytes(jobs);
      const run = await runCli({ cwd: repository, ...someone }, "--tick", "--now", atNoon());
      expectError(run, 4, "LOCK_UNAVAILABLE", "wake_jobs", "check the owner, the group and the mode");
      expect(directoryBytes(jobs)).toEqual(before);
    });

    it("can be looked at, and a quiet tick over it is done, exit 0", async () => {
      const list = await runCli({ cwd: repository, ...someone }, "list");
      expect(list.code).toBe(0);
      const early = await runCli<TickSummary>({ cwd: repository, ...someone }, "--tick", "--now", "2026-11-30T10:00:00Z");
      expect(early).toMatchObject({ code: 0, json: { ok: true, stop_count: 2 } });
    });

    it("fails a verb that would write, exit 4", async () => {
      const run = await runCli({ cwd: repository, ...someone }, "cancel", "harbor-due-0001");
      expectError(run, 4, "LOCK_UNAVAILABLE", "wake_jobs", "check the owner, the group and the mode");
    });
  });

  it("a job file that this user may not read is an ERROR row, and the other is ticked", async () => {
    chmodSync(repository, 0o755);
    chmodSync(jobs, 0o777);
    chmodSync(putJob(jobs, "harbor-secret-0001"), 0o000);
    putJob(jobs, "harbor-shared-0001");
    const run = await runCli<TickSummary>({ cwd: repository, ...unprivileged() }, "--tick", "--now", atNoon());
    expect(run.json.jobs).toMatchObject([
      { action: "ERROR", error: { code: "IO", file: "wake_jobs/harbor-secret-0001.json" } },
      { action: "WAKE", job_id: "harbor-shared-0001" },
    ]);
    expect(run.code).toBe(1);
  });
});

describe("a file that should be a job and cannot be read as one", () => {
  const DEEP = 100_000;
  const text = (jobId: string, fields: Readonly<Record<string, unknown>> = {}): string =>
    JSON.stringify(jobDocument(jobId, fields));
  const deep = (jobId: string, open: string, close: string): string =>
    text(jobId, { checkpoint: "HERE" }).replace('"HERE"', `{"a":${open.repeat(DEEP)}0${close.repeat(DEEP)}}`);

  /** What each file holds, and what its ERROR row must say. */
  const BROKEN: Readonly<Record<string, { readonly holds: string; readonly code: string; readonly says: readonly string[] }>> = {
    "harbor-bytes-0001": { holds: text("harbor-bytes-0001").replace("release", "r\\u0000\0"), code: "CORRUPT", says: ["NUL"] },
    "harbor-nuls-0001": { holds: "\0".repeat(600), code: "CORRUPT", says: ["NUL bytes", "restore it from git"] },
    "harbor-blank-0001": { holds: "", code: "CORRUPT", says: ["is empty", "restore it from git"] },
    "harbor-merge-0001": {
      holds: `{\n<<<<<<< HEAD\n  "status": "OPEN"\n=======\n  "status": "DONE"\n>>>>>>> other\n}\n`,
      code: "CORRUPT",
      says: ["line 2 is a git conflict marker", "resolve the merge"],
    },
    "harbor-huge-0001": {
      holds: text("harbor-huge-0001", { x_padding: "x".repeat(5 * 1024 * 1024) }),
      code: "TOO_LARGE",
      says: ["at most 4194304"],
    },
    "harbor-half-0001": { holds: text("harbor-half-0001").slice(0, 100), code: "CORRUPT", says: ["is not JSON"] },
    "harbor-other-0001": { holds: text("harbor-another-01"), code: "CORRUPT", says: ["harbor-another-01", "Rename the file"] },
    "harbor-array-0001": { holds: "[]", code: "CORRUPT", says: ["holds []", "one JSON object"] },
    "harbor-deep-obj-1": {
      holds: deep("harbor-deep-obj-1", '{"a":', "}"),
      code: "SCHEMA",
      says: ["checkpoint nests deeper than 200"],
    },
    "harbor-deep-arr-1": {
      holds: deep("harbor-deep-arr-1", "[", "]"),
      code: "SCHEMA",
      says: ["checkpoint nests deeper than 200"],
    },
    "harbor-deep-top-1": {
      holds: text("harbor-deep-top-1", { x: "HERE" }).replace('"HERE"', "[".repeat(DEEP) + "]".repeat(DEEP)),
      code: "SCHEMA",
      says: ["nests deeper"],
    },
    "harbor-status-001": { holds: text("harbor-status-001", { status: "SLEEPY" }), code: "SCHEMA", says: ["status", "SLEEPY"] },
    "harbor-lease-0001": {
      holds: text("harbor-lease-0001", { lease: { lease_id: "l", holder: "h", until: "soon" } }),
      code: "SCHEMA",
      says: ["lease.until", "soon"],
    },
    "harbor-leap-00001": {
      holds: text("harbor-leap-00001", { deadline: "2026-12-31T23:59:60Z" }),
      code: "SCHEMA",
      says: ["deadline", "23:59:60"],
    },
    tiny: { holds: text("tiny"), code: "SCHEMA", says: ["no job id", "rename the file"] },
    "harbor..\n0001": { holds: text("harbor-0001"), code: "SCHEMA", says: ["no job id"] },
    "harbor-proto-pred": {
      holds: text("harbor-proto-pred").replace(
        '"harness"',
        '"completion_predicate": {"__proto__": {"type": "status_done"}}, "harness"',
      ),
      code: "SCHEMA",
      says: ["completion_predicate"],
    },
  };
  /** Jobs in dress that is unusual and allowed: each is due, and woken. */
  const FINE: Readonly<Record<string, string>> = {
    "aaaa-first-of-all": text("aaaa-first-of-all"),
    "harbor-bom-000001": `\uFEFF${text("harbor-bom-000001")}`,
    "harbor-crlf-00001": JSON.stringify(jobDocument("harbor-crlf-00001"), null, 2).replaceAll("\n", "\r\n"),
    "harbor-proto-0001": text("harbor-proto-0001", { checkpoint: "HERE" }).replace(
      '"HERE"',
      '{"__proto__": {"step": 1}, "constructor": {"prototype": 2}, "prototype": null}',
    ),
    "harbor-proto-top1": text("harbor-proto-top1").replace("{", '{"__proto__": {"status": "DONE", "lease": 5}, '),
    "zzzz-last-of-all1": text("zzzz-last-of-all1"),
  };
  /** Names in the directory that are no regular files. */
  const IRREGULAR = ["harbor-fifo-00001", "harbor-folder-001", "harbor-link-00001", "harbor-dangle-001"];

  let directory: string;
  let outside: string;
  let before: Readonly<Record<string, string>>;
  let run: CliRun<TickSummary>;
  const inJobs = (name: string): string => join(directory, "wake_jobs", `${name}.json`);
  const rowOf = (name: string): Row | undefined =>
    run.json.jobs.find((row) => row.error?.file === `wake_jobs/${name}.json` || row.job_id === name);

  beforeAll(async () => {
    directory = freshRepository();
    mkdirSync(join(directory, "wake_jobs/harbor-folder-001.json"), { recursive: true });
    outside = join(tempDirectory(), "outside.json");
    writeFileSync(outside, text("harbor-link-00001"));
    symlinkSync(outside, inJobs("harbor-link-00001"));
    symlinkSync(`${outside}-not-there`, inJobs("harbor-dangle-001"));
    execFileSync("mkfifo", [inJobs("harbor-fifo-00001")]);
    for (const [name, { holds }] of Object.entries(BROKEN)) writeFileSync(inJobs(name), holds);
    for (const [name, holds] of Object.entries(FINE)) writeFileSync(inJobs(name), holds);
    writeFileSync(inJobs("harbor-latin1-001"), text("harbor-latin1-001").replace("release", "rel\xe9ase"), "latin1");
    before = directoryBytes(join(directory, "wake_jobs"));
    run = await runCli<TickSummary>({ cwd: directory }, "--tick", "--now", atNoon());
  });

  it.each(Object.entries(BROKEN))(
    "is an ERROR row that says what is wrong with it and what to do: %j",
    (name, { code, says }) => {
      const row = rowOf(name);
      expect(row).toMatchObject({ action: "ERROR", reason: code, invoke_model: false, status: null });
      expect(row?.error).toMatchObject({ code, file: `wake_jobs/${name}.json` });
      expect(row?.error?.message).toContain(`wake_jobs/${name}.json: `);
      for (const part of says) expect(row?.error?.message).toContain(part);
      expect(row?.error?.message.length).toBeLessThan(600);
      expect(run.stderr).toContain(row?.error?.message.replaceAll("\n", "\\u000a"));
    },
  );

  it.each(IRREGULAR)("is an ERROR row where it is no regular file: %s", (name) => {
    expect(rowOf(name)?.error).toMatchObject({ code: "CORRUPT", file: `wake_jobs/${name}.json` });
    expect(rowOf(name)?.error?.message).toMatch(/is not a regular file/);
  });

  it("is an ERROR row where it is not UTF-8", () => {
    expect(rowOf("harbor-latin1-001")?.error).toMatchObject({ code: "CORRUPT" });
    expect(rowOf("harbor-latin1-001")?.error?.message).toMatch(/not UTF-8/);
  });

  it.each(Object.keys(FINE))("does not keep the others from being ticked: %s", (name) => {
    expect(rowOf(name)).toMatchObject({ action: "WAKE", reason: "RUNNABLE", attempt_id: `${name}-a01` });
    expect(JSON.parse(readFileSync(inJobs(name), "utf8"))).toMatchObject({ status: "LEASED", attempt_count: 1 });
  });

  it("is never rewritten, and what a link points to neither", () => {
    const after = directoryBytes(join(directory, "wake_jobs"));
    for (const name of [...Object.keys(BROKEN), "harbor-latin1-001"]) {
      // Not toEqual on megabytes: a failure would print them.
      expect(after[`${name}.json`] === before[`${name}.json`], name).toBe(true);
    }
    expect(readFileSync(outside, "utf8")).toBe(text("harbor-link-00001"));
    expect(lstatSync(inJobs("harbor-link-00001")).isSymbolicLink()).toBe(true);
  });

  it("makes the exit code 1, and no stack trace", () => {
    const errors = Object.keys(BROKEN).length + IRREGULAR.length + 1;
    expect(run.json).toMatchObject({ ok: false, error_count: errors, wake_count: Object.keys(FINE).length });
    expect(run.json.jobs).toHaveLength(errors + Object.keys(FINE).length);
    expect(run.code).toBe(1);
    expect(run.stderr).not.toMatch(STACK_LINE);
  });

  it("keeps keys named __proto__, constructor and prototype as the data that they are", () => {
    const kept = readFileSync(inJobs("harbor-proto-0001"), "utf8");
    expect(kept).toContain('"__proto__": {\n      "step": 1\n    }');
    expect(kept).toContain('"prototype": 2');
    expect(readFileSync(inJobs("harbor-proto-top1"), "utf8")).toContain(
      '"__proto__": {\n    "lease": 5,\n    "status": "DONE"\n  }',
    );
  });

  it("is refused to every verb that names it, with the same error, and nothing hangs", async () => {
    for (const name of [...IRREGULAR, "harbor-merge-0001", "harbor-nuls-0001"]) {
      for (const verb of [["show"], ["cancel"], ["unblock"], ["update", "--within", "2d"]]) {
        expectError(await runCli({ cwd: directory }, ...verb, name), 3, "CORRUPT", `wake_jobs/${name}.json`);
      }
    }
    expectError(await runCli({ cwd: directory }, "show", "harbor-huge-0001"), 3, "TOO_LARGE", "harbor-huge-0001");
  });

  it("is listed as what it is, beside the others, exit 1", async () => {
    const list = await runCli<{ readonly jobs: readonly { readonly status: string }[] }>({ cwd: directory }, "list");
    expect(list.code).toBe(1);
    expect(list.json.jobs).toHaveLength(run.json.jobs.length);
    expect(list.json.jobs.filter(({ status }) => status === "LEASED")).toHaveLength(Object.keys(FINE).length);
  });
});

describe("a create from hostile JSON", () => {
  it("nested 100,000 deep is refused, exit 2", async () => {
    for (const stdin of [`{"checkpoint":${'{"a":'.repeat(100_000)}0${"}".repeat(100_000)}}`, "[".repeat(100_000)]) {
      const run = await runCli({ cwd: repository, stdin }, "create", "harbor-0001", "--from", "-", "--within", "2d");
      expectError(run, 2, "SCHEMA", "standard input");
    }
  });

  it("over 4 MiB or with a checkpoint over 1 MiB changes nothing", async () => {
    const padded = JSON.stringify(jobDocument("harbor-0001", { x_padding: "x".repeat(5 * 1024 * 1024) }));
    const heavy = JSON.stringify(jobDocument("harbor-0001", { checkpoint: { a: "x".repeat(1024 * 1024) } }));
    expectError(await runCli({ cwd: repository, stdin: padded }, "create", "--from", "-"), 3, "TOO_LARGE", "4128768");
    expectError(await runCli({ cwd: repository, stdin: heavy }, "create", "--from", "-"), 2, "SCHEMA", "checkpoint");
    expect(jobBytes(jobs)).toEqual({});
  });

  it("with __proto__ keys does not give the job what they hold", async () => {
    const stdin = JSON.stringify(jobDocument("harbor-0001")).replace("{", '{"__proto__": {"status": "DONE"}, ');
    expect(await runCli({ cwd: repository, stdin }, "create", "--from", "-")).toMatchObject({ code: 0 });
    expect((await tick()).json.jobs).toMatchObject([{ action: "WAKE", job_id: "harbor-0001" }]);
  });
});

describe("what a tick leaves for people fails nothing", () => {
  beforeEach(() => putJob(jobs, "harbor-0001"));

  it("a --summary that cannot be written hides no WAKE", async () => {
    const run = await tick("--summary", "not/there.md");
    expect(run.json.jobs).toMatchObject([{ job_id: "harbor-0001", action: "WAKE" }]);
    expect(run.stderr).toMatch(/not\/there\.md: .*make it/);
    expect(run.stderr).not.toMatch(STACK_LINE);
    expect(run.code).toBe(0);
  });

  it("_last_tick.json as a link is not written through", async () => {
    const victim = join(repository, "victim.json");
    writeFileSync(victim, "mine");
    symlinkSync(victim, join(jobs, "_last_tick.json"));
    expect((await tick()).code).toBe(0);
    expect(readFileSync(victim, "utf8")).toBe("mine");
  });

  it("_last_tick.json as a pipe that nobody reads hangs no tick", async () => {
    execFileSync("mkfifo", [join(jobs, "_last_tick.json")]);
    expect((await tick()).code).toBe(0);
  });
});

it("a standard input that cannot be read is told as wrong use, and is no bug", async () => {
  const run = await runCli({ cwd: repository, launcher: ["sh", "-c", 'exec "$0" "$@" < /', process.execPath] }, "finish");
  expectError(run, 2, "USAGE", "standard input");
});

it("a budget may be as large as a job file's: 2^53-1", async () => {
  const of = (tokens: string) => [
    ...["create", "harbor-0001", "--owner", "TESTS", "--harness", "script", "--objective", "x", "--within", "2d"],
    ...["--allow-existing-page", "--budget-tokens", tokens],
  ];
  expectError(await cli(...of("9007199254740992")), 2, "USAGE", "whole number");
  expect((await cli(...of("9007199254740991"))).json).toMatchObject({ job: { budget_tokens: 9007199254740991 } });
});
