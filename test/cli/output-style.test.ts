import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { runInProcess } from "../support/cli-in-process.ts";
import { putJob } from "../support/job-builder.ts";
import { atNoon } from "../support/noon.ts";
import { tempDirectory } from "../support/temp-directory.ts";

const ID = "harbor-crane-001";
const TICK = ["--tick", "--dry-run", "--now", atNoon()] as const;

let cwd: string;
beforeEach(() => {
  cwd = tempDirectory();
  mkdirSync(join(cwd, "wake_jobs"));
  putJob(join(cwd, "wake_jobs"), ID, { objective: "Lift\tall \\ of it", tokens_used: 7 });
});

async function json(...args: readonly string[]): Promise<unknown> {
  const { out, err } = await runInProcess({ cwd }, ...args);
  return out === "" ? err : JSON.parse(out);
}

describe("records", () => {
  test.each([[["list"]], [TICK], [["show", ID]], [["holds"]], [["show", "harbor-absent-01"]], [["list", "--nonsense"]]])(
    "%j carries schema_version: 1",
    async (args) => {
      expect(await json(...args)).toMatchObject({ schema_version: 1 });
    },
  );
});

describe("--json takes field names", () => {
  test.each<[readonly string[], unknown]>([
    [["list", "--json", "job_id,status"], { ok: true, state: "LISTED", jobs: [{ job_id: ID, status: "OPEN" }] }],
    [["list", "--json=job_id"], { ok: true, state: "LISTED", jobs: [{ job_id: ID }] }],
    [["list", "--json", "status"], { ok: true, state: "LISTED", jobs: [{ status: "OPEN" }] }],
    [
      ["list", "--json", "tokens_used,deadline"],
      { ok: true, state: "LISTED", jobs: [{ tokens_used: 7, deadline: expect.any(String) }] },
    ],
    [[...TICK, "--json", "job_id,action"], { ok: true, state: "TICKED", jobs: [{ job_id: ID, action: "WAKE" }] }],
    [["--json", "job_id,action", ...TICK], { ok: true, state: "TICKED", jobs: [{ job_id: ID, action: "WAKE" }] }],
    [["show", ID, "--json", "job_id,harness"], { job_id: ID, harness: "script" }],
    [["show", ID, "--json", "job_id,attempt_id"], { job_id: ID }],
  ])("%j", async (args, record) => {
    expect(await json(...args)).toEqual({ ...(record as object), schema_version: 1 });
  });

  test.each<[readonly string[], object]>([
    [["--json", "list"], { state: "LISTED" }],
    [["show", "--json", ID], { job_id: ID }],
    [["show", "--json", "nightlyreport"], { state: "NOT_FOUND" }],
    [["list", "--json"], { state: "LISTED" }],
  ])("a verb or its argument after it is none: %j", async (args, record) => {
    expect(await json(...args)).toMatchObject(record);
  });

  test.each([[["list", "--json", "job_id,statsu"]], [["list", "--json=statsu"]], [["list", "--json="]]])(
    "%j is refused by name, exit 2",
    async (args) => {
      const { code, out } = await runInProcess({ cwd }, ...args);
      expect([code, JSON.parse(out)]).toMatchObject([
        2,
        { code: "USAGE", message: expect.stringContaining("no record has a field") },
      ]);
    },
  );
});

describe("--format goes over the choice by terminal", () => {
  test("table where a program reads, JSON where a person does", async () => {
    const { out } = await runInProcess({ cwd }, "list", "--format", "table");
    expect(out).toMatch(/^JOB .*\nharbor-crane-001 +! overdue/);
    const onTerminal = await runInProcess({ cwd, stdoutIsTerminal: true }, "list", "--format=json");
    expect(JSON.parse(onTerminal.out)).toMatchObject({ state: "LISTED" });
  });

  test("tsv is one line per job, with tabs and line breaks in its fields escaped", async () => {
    const { out } = await runInProcess({ cwd }, "list", "--json", "job_id,objective", "--format", "tsv");
    expect(out).toBe(`job_id\tobjective\n${ID}\tLift\\tall \\\\ of it\n`);
    const tick = await runInProcess({ cwd }, ...TICK, "--format", "tsv");
    expect(tick.out.split("\n").map((line) => line.split("\t").slice(0, 3))).toEqual([
      ["job_id", "action", "reason"],
      [ID, "WAKE", "RUNNABLE"],
      [""],
    ]);
    const holds = await runInProcess({ cwd }, "show", ID, "--json", "job_id,status", "--format", "tsv");
    expect(holds.out).toBe(`job_id\tstatus\n${ID}\tOPEN\n`);
  });

  test("fields as a table", async () => {
    const { out } = await runInProcess({ cwd }, "list", "--json", "job_id,tokens_used", "--format", "table");
    expect(out).toBe(`JOB ID            TOKENS USED\n${ID}  7\n`);
  });

  test("another format is refused, exit 2", async () => {
    expect(await runInProcess({ cwd }, "list", "--format", "yaml")).toMatchObject({ code: 2 });
  });
});
