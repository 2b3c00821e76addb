import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { TickSummary } from "../../src/wake/summary.ts";
import { runInProcess } from "../support/cli-in-process.ts";
import { cloneBytes } from "../support/clone-bytes.ts";
import { expectedFleet, fleetRepository } from "../support/fleet-repository.ts";
import { fleetWithRemote } from "../support/fleet-with-remote.ts";
import { git } from "../support/git.ts";
import { cloneOf, commitAll, writeIn } from "../support/git-repository.ts";
import { jobDocument } from "../support/job-builder.ts";
import { atNoon } from "../support/noon.ts";

const ID = "harbor-crane-001";
const VIEWS = [["status"], ["list"], ["show", ID], ["why", ID]] as const;

/** A fleet with one due job that is done when its page is at git HEAD. */
function fleetWithJob(config: object) {
  const fleet = fleetWithRemote(config);
  const job = jobDocument(ID, { completion_predicate: { type: "result_address_on_head" }, result_address: ID });
  writeFileSync(join(fleet.directory, "wake_jobs", `${ID}.json`), JSON.stringify(job, null, 2));
  commitAll(fleet.directory, "a job");
  git(fleet.directory, "push", "-q", "origin", "main");
  return fleet;
}

/** Somebody else pushes the page; the clone does not know of it yet. */
function pushPage(remote: string): void {
  const other = cloneOf(remote);
  writeIn(other, `p/${ID}.md`, "All quiet.");
  commitAll(other, "the page");
  git(other, "push", "-q", "origin", "main");
}

it("why says of every job of the fleet what a tick at that moment says", async () => {
  const { now } = expectedFleet();
  const cwd = fleetRepository();
  const tick = await runInProcess({ cwd }, "--tick", "--dry-run", "--now", now);
  const { jobs }: TickSummary = JSON.parse(tick.out);
  const rows = jobs.filter(({ error }) => error === undefined);
  expect(rows.length).toBeGreaterThan(40);
  for (const { job_id, action, reason } of rows) {
    const { out } = await runInProcess({ cwd }, "why", job_id ?? "", "--now", now);
    expect(JSON.parse(out)).toMatchObject({ state: "EXPLAINED", job_id, action, reason });
  }
});

describe.each(["file", "git"] as const)("under the %s store, reading verbs", (store) => {
  it("see the page that the remote has, and change nothing of the clone or the remote", async () => {
    const { directory: cwd, remote } = fleetWithJob({ store });
    pushPage(remote);
    const before = { clone: cloneBytes(cwd), refs: git(remote, "for-each-ref") };
    for (const args of VIEWS) {
      const run = await runInProcess({ cwd }, ...args, "--now", atNoon());
      expect(run).toMatchObject({ code: 0, err: "" });
      const shown = await runInProcess({ cwd, stdoutIsTerminal: true }, ...args, "--now", atNoon());
      expect(shown).toMatchObject({ code: 0, err: "" });
      if (args[0] !== "why") expect(shown.out).toMatch(/now: done/);
    }
    expect({ clone: cloneBytes(cwd), refs: git(remote, "for-each-ref") }).toEqual(before);
    const { out } = await runInProcess({ cwd }, "status", "--now", atNoon());
    expect(JSON.parse(out).jobs).toMatchObject([
      { job_id: ID, state: "due", next: { at: atNoon(), action: "STOP", reason: "DONE" } },
    ]);
  });
});

it.each(["file", "git"] as const)(
  "under the %s store, progress on a terminal leaves the owner's holds as they are",
  async (store) => {
    const lift = { holds: { CURSOR_QUOTA_HOLD: { enabled: false } } };
    const { directory: cwd } = fleetWithRemote({ store, ...lift });
    const run = await runInProcess({ cwd, stderrIsTerminal: () => true }, "holds");
    expect([run.code, JSON.parse(run.out)]).toMatchObject([0, { holds: [] }]);
  },
);

it("where the page cannot be asked for, views say so and what to do, exit 1", async () => {
  const { directory: cwd, remote } = fleetWithJob({});
  rmSync(remote, { recursive: true });
  const { code, out, err } = await runInProcess({ cwd }, "status", "--now", atNoon());
  expect([code, JSON.parse(out)]).toMatchObject([
    1,
    { jobs: [{ state: "page unknown", need: { remedy: expect.stringContaining("doctor") } }] },
  ]);
  expect(err).toContain("git cannot say");
  const why = await runInProcess({ cwd }, "why", ID, "--now", atNoon());
  expect([why.code, JSON.parse(why.out)]).toMatchObject([1, { action: "ERROR", reason: "TRUTH_UNAVAILABLE" }]);
});
