import { cpSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { TickSummary } from "../../src/wake/summary.ts";
import { jobBytes } from "../support/directory-bytes.ts";
import { git } from "../support/git.ts";
import { commitAll, freshRepository } from "../support/git-repository.ts";
import { runCli } from "../support/run-cli.ts";

const ROOT = join(import.meta.dirname, "../..");

it("a first tick over this repository's own examples, at whatever time, is quiet and dirties nothing", async () => {
  const clone = freshRepository();
  for (const part of [".gitignore", "wake_jobs", "p"]) {
    // What an earlier tick left behind here is not in a clone.
    cpSync(join(ROOT, part), join(clone, part), { recursive: true, filter: (path) => !path.endsWith("_last_tick.json") });
  }
  commitAll(clone, "a clone");
  const examples = Object.keys(jobBytes(join(clone, "wake_jobs"))).filter((name) => /^[^_.].*\.json$/.test(name));
  expect(examples.length).toBeGreaterThan(0);

  // The real clock, and a few that a clone may meet in years to come.
  for (const clock of [[], ["--now", "2026-01-01"], ["--now", "2030-01-01"], []]) {
    const run = await runCli<TickSummary>({ cwd: clone }, "--tick", ...clock);
    expect(run.json).toMatchObject({ ok: true, error_count: 0, wake_count: 0 });
    expect(run.json.jobs.map(({ job_id }) => `${job_id}.json`)).toEqual(examples.sort());
    expect(run.stderr).toBe("");
    expect(run.code).toBe(0);
    expect(git(clone, "status", "--porcelain")).toBe("");
  }
});
