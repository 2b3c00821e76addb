import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { runInProcess } from "../support/cli-in-process.ts";
import { putJob } from "../support/job-builder.ts";
import { atNoon } from "../support/noon.ts";
import { tempDirectory } from "../support/temp-directory.ts";

const ERASE = "\r\u001b[K";

let cwd: string;
beforeAll(() => {
  cwd = tempDirectory();
  const jobs = join(cwd, "wake_jobs");
  mkdirSync(jobs);
  for (let n = 1000; n < 2100; n++) putJob(jobs, `harbor-${n}`, { next_wake_at: "2027-01-01" });
});

/** A machine on which every look at the clock takes so many milliseconds. */
function clockOf(ms: number): () => number {
  let now = 0;
  return () => {
    now += ms;
    return now;
  };
}

function run(isTerminal: boolean, ms: number, ...args: readonly string[]) {
  return runInProcess({ cwd, stderrIsTerminal: () => isTerminal, monotonic: clockOf(ms) }, ...args, "--now", atNoon());
}

describe.each([[["--tick"]], [["list"]], [["status"]]])("%j over a thousand jobs", (args) => {
  test("says on stderr of a terminal how far it is, and takes that away in the end", async () => {
    const { err, out, code } = await run(true, 400, ...args);
    // A busy machine may say one of them twice, with more seconds.
    const told = err.split(ERASE).map((line) => line.replace(/ \(\d+ s\)$/, ""));
    expect([...new Set(told)].filter((line) => line !== "")).toEqual([
      "harness-wake: reading the jobs: 512",
      "harness-wake: reading the jobs: 768",
      "harness-wake: reading the jobs: 1024",
    ]);
    expect(err.endsWith(ERASE)).toBe(true);
    expect([code, JSON.parse(out)]).toMatchObject([0, { ok: true }]);
  });

  test("says nothing where it is over within a second", async () => {
    expect((await run(true, 1, ...args)).err).toBe("");
  });

  test("says nothing where stderr is no terminal, however long it takes", async () => {
    expect((await run(false, 10_000, ...args)).err).toBe("");
  });
});

test("what has to be told takes the place of the progress, never a part of its line", async () => {
  const { err } = await run(true, 1200, "show", "harbor-0000");
  expect(err).toBe(
    `${ERASE}harness-wake: reading harbor-0000 (1 s)${ERASE}harness-wake: NOT_FOUND: there is no job harbor-0000\n`,
  );
});
