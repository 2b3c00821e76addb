import { renameSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import stringWidth from "string-width";
import { beforeAll, describe, expect, test } from "vitest";
import { runInProcess } from "../support/cli-in-process.ts";
import { directoryBytes } from "../support/directory-bytes.ts";
import { harborFleet } from "../support/harbor-fleet.ts";
import { atNoon } from "../support/noon.ts";

const VIEWS = [
  ["status"],
  ["list"],
  ["show", "harbor-working-01"],
  ["show", "harbor-failing-01"],
  ["why", "harbor-working-01"],
  ["why", "harbor-waiting-01"],
  ["why", "harbor-unclaimed1"],
] as const;

let cwd: string;
beforeAll(() => {
  cwd = harborFleet();
});

function onTerminal(columns: number, env: Readonly<Record<string, string>>, ...args: readonly string[]) {
  return runInProcess({ cwd, stdoutIsTerminal: true, columns: () => columns, env }, ...args, "--now", atNoon());
}

function goldenOf(args: readonly string[], columns: number, look: string): string {
  return join(import.meta.dirname, "golden", `${args.join("-")}.${columns}${look}.txt`);
}

describe.each(VIEWS.map((args) => ({ args })))("$args", ({ args }) => {
  test.each([60, 140])("at %i cells, with colours and without", async (columns) => {
    const { out: plain } = await onTerminal(columns, { NO_COLOR: "1" }, ...args);
    await expect(plain).toMatchFileSnapshot(goldenOf(args, columns, ""));
    const { out: coloured } = await onTerminal(columns, {}, ...args);
    await expect(coloured).toMatchFileSnapshot(goldenOf(args, columns, ".colour"));
    expect(coloured, "colour is never the only sign").not.toBe(plain);
    expect(stripVTControlCharacters(coloured).replaceAll(/ +$/gm, "")).toBe(plain);
    for (const line of plain.split("\n")) expect([line, stringWidth(line) <= columns]).toEqual([line, true]);
  });
});

describe("colours", () => {
  test.each([{ NO_COLOR: "1" }, { TERM: "dumb" }])("are not shown with %j", async (env) => {
    expect((await onTerminal(140, env, "status")).out).not.toContain("\u001b");
  });

  test("are not shown where no terminal is, whatever the format", async () => {
    const { out } = await runInProcess({ cwd, env: {} }, "status", "--format", "table", "--now", atNoon());
    expect(out).toContain("JOB ");
    expect(out).not.toContain("\u001b");
  });

  test("are shown where NO_COLOR is empty, as its rule says", async () => {
    expect((await onTerminal(140, { NO_COLOR: "" }, "status")).out).toContain("\u001b[");
  });
});

describe("filters", () => {
  async function ids(...args: readonly string[]): Promise<unknown> {
    const { out } = await runInProcess({ cwd }, ...args, "--now", atNoon(), "--json", "job_id");
    return JSON.parse(out).jobs.map(({ job_id }: { job_id: string }) => job_id);
  }

  test.each<[readonly string[], readonly string[]]>([
    [["list", "--status", "working"], ["harbor-working-01"]],
    [
      ["list", "--status", "mail-failing,blocked"],
      ["harbor-blocked-01", "harbor-failing-01"],
    ],
    [
      ["status", "--status", "mail failing,blocked"],
      ["harbor-failing-01", "harbor-blocked-01"],
    ],
    [["list", "--status", "EXHAUSTED"], ["harbor-exhausted1"]],
    [["list", "--harness", "cursor-cli"], ["harbor-held-00001"]],
    [["list", "--owner", "NOBODY"], []],
    [
      ["list", "--due"],
      ["harbor-due-000001", "harbor-overdue-01", "harbor-unclaimed1"],
    ],
    [
      ["list", "--due", "20m", "--owner", "HARBOR"],
      [
        "harbor-due-000001",
        "harbor-failing-01",
        "harbor-offered-01",
        "harbor-overdue-01",
        "harbor-resting-01",
        "harbor-unclaimed1",
        "harbor-working-01",
      ],
    ],
  ])("%j", async (args, expected) => {
    expect(await ids(...args)).toEqual(expected);
  });

  test("a word that no job could have is refused by name, exit 2", async () => {
    const { code, out } = await runInProcess({ cwd }, "list", "--status", "sleepy");
    expect([code, JSON.parse(out)]).toMatchObject([2, { code: "USAGE", message: expect.stringContaining('"sleepy"') }]);
  });
});

describe("for programs", () => {
  test("every row has the same fields, also that of a broken file", async () => {
    const { out, code } = await runInProcess({ cwd }, "status", "--now", atNoon());
    const { jobs, sums } = JSON.parse(out);
    expect(code).toBe(1);
    expect(new Set(jobs.map((job: object) => Object.keys(job).sort().join())).size).toBe(1);
    expect(sums).toEqual({
      jobs: 14,
      need_a_person: 6,
      by_state: expect.objectContaining({ broken: 1, working: 1 }),
      tokens_used: 106_400,
      cost_usd: 0.25,
    });
  });

  test("why is a record of rules and values", async () => {
    const { out } = await runInProcess({ cwd }, "why", "harbor-waiting-01", "--now", atNoon());
    expect(JSON.parse(out)).toMatchObject({
      ok: true,
      state: "EXPLAINED",
      job_id: "harbor-waiting-01",
      action: "STOP",
      reason: "NOT_DUE",
      rule: "7",
      changes: { at: atNoon(7200), action: "WAKE", reason: "RUNNABLE", rule: "13" },
    });
    const fields = await runInProcess({ cwd }, "why", "harbor-waiting-01", "--now", atNoon(), "--json", "rule,reason");
    expect(JSON.parse(fields.out)).toEqual({ rule: "7", reason: "NOT_DUE", schema_version: 1 });
    const tsv = await runInProcess({ cwd }, "why", "harbor-waiting-01", "--now", atNoon(), "--json", "rule", "--format", "tsv");
    expect(tsv.out).toBe("rule\n7\n");
  });
});

test("watch looks again and again until nobody reads it", async () => {
  let looks = 0;
  const pauses: number[] = [];
  const run = await runInProcess(
    {
      cwd,
      out: (text) => {
        expect(JSON.parse(text)).toMatchObject({ state: "STATUS" });
        return ++looks < 3;
      },
      pause: async (ms) => void pauses.push(ms),
    },
    ...["status", "--watch", "5s", "--now", atNoon()],
  );
  expect(run.code).toBe(0);
  expect(looks).toBe(3);
  expect(pauses).toEqual([5000, 5000]);
});

test("watch tells of a look that fails, and looks again", async () => {
  const fleet = harborFleet();
  const jobs = join(fleet, "wake_jobs");
  const away = join(fleet, "away");
  const moves = [() => renameSync(jobs, away), () => renameSync(away, jobs)];
  let looks = 0;
  const run = await runInProcess(
    { cwd: fleet, out: () => ++looks < 2, pause: async () => moves.shift()?.() },
    ...["status", "--watch", "--now", atNoon()],
  );
  expect([run.code, looks, moves]).toEqual([0, 2, []]);
  expect(run.err).toContain("wake_jobs: is not there");
});

test("reading verbs change no byte", async () => {
  const before = directoryBytes(cwd);
  for (const args of VIEWS) await onTerminal(80, {}, ...args);
  expect(directoryBytes(cwd)).toEqual(before);
});
