import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { appDirectory } from "../../src/harness/cursor/app.ts";
import { findPackageFiles } from "../../src/harness/cursor/package-files.ts";
import { findEnclosure } from "../../src/harness/enclosure/find-enclosure.ts";
import { PLANTED_KEY } from "../support/cursor-host.ts";
import { type FleetWithRemote, fleetWithRemote } from "../support/fleet-with-remote.ts";
import { git } from "../support/git.ts";
import { runCli } from "../support/run-cli.ts";
import { installStub, type StubAct } from "../support/stub-cursor-app.ts";

const LIFTED = { holds: { CURSOR_QUOTA_HOLD: { enabled: false } } };
const JOB = "harbor-page-0001";

interface Worked extends FleetWithRemote {
  readonly lines: readonly object[];
  readonly code: number | null;
  readonly job: object;
}

/** One pass of a worker over one due job, with a stub where the SDK would be. Undefined without bubblewrap. */
async function work(acts: readonly StubAct[], ...more: readonly string[]): Promise<Worked | undefined> {
  if ((await findEnclosure({ choice: "auto", env: process.env })).kind !== "bwrap") return undefined;
  const state = realpathSync(mkdtempSync("/var/tmp/harness-wake-"));
  onTestFinished(() => rmSync(state, { recursive: true, force: true }));
  installStub(appDirectory({ stateDirectory: state }, findPackageFiles()), acts);
  const fleet = fleetWithRemote(LIFTED);
  const cli = (...args: readonly string[]) =>
    runCli({ cwd: fleet.directory, env: { HOME: fleet.directory, CURSOR_API_KEY: PLANTED_KEY } }, ...args);
  const told = ["--owner", "HARBOR", "--harness", "cursor", "--objective", "Write the page", "--within", "2d"];
  await cli("create", JOB, ...told);
  await cli("--tick");
  const worker = ["work", "--adapter", "cursor", "--harness", "cursor", "--once", "--state-dir", state];
  const { stdout, code } = await cli(...worker, ...more);
  const lines = stdout
    .trim()
    .split("\n")
    .map((line): object => JSON.parse(line));
  return { ...fleet, lines, code, job: (await cli("show", JOB, "--json")).json };
}

test("a job of Cursor's goes from its wake to DONE by what its agent pushes and submits", async ({ skip }) => {
  const push = `mkdir -p p && echo "All quiet." >p/${JOB}.md && git add p && git commit -q -m Page && git push -q origin HEAD:main`;
  const worked = await work([
    { call: "shell", args: { command: push } },
    { call: "submit", args: { result: { kind: "page" } } },
  ]);
  if (worked === undefined) return skip();
  expect(worked.lines).toMatchObject([
    { event: "started", message: expect.stringContaining("a run writes to its workspace alone") },
    { event: "claimed" },
    { event: "ended", state: "DONE", ok: true },
    { ok: true, state: "WORKED", finished: 1 },
  ]);
  expect(git(worked.remote, "show", `main:p/${JOB}.md`)).toBe("All quiet.");
});

test("what is no outcome is rejected while it can be mended, and a checkpoint is the next attempt's", async ({ skip }) => {
  const worked = await work([
    { call: "submit", args: { in: "soon" } },
    { call: "submit", args: { in: "1h", checkpoint: { step: 7, note: "half done" } } },
  ]);
  if (worked === undefined) return skip();
  expect(worked.lines.at(-2)).toMatchObject({ event: "ended", state: "CHECKPOINT", ok: true });
  expect(JSON.stringify(worked.job)).toContain("half done");
});

test("a run that submits nothing has failed, and says at which limit", async ({ skip }) => {
  const worked = await work([{ call: "read", args: { path: "harness-wake.json" } }, { hang: true }], "--time-limit", "4s");
  if (worked === undefined) return skip();
  expect(worked.lines.at(-2)).toMatchObject({ event: "ended", state: "FAILED", message: expect.stringContaining("(time)") });
  expect(JSON.stringify(worked.lines)).not.toContain(PLANTED_KEY);
  expect(worked.code).toBe(1);
});
