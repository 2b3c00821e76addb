import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import { git } from "../support/git.ts";
import { addRemote, commitAll, freshRepository, writeIn } from "../support/git-repository.ts";
import { runCli } from "../support/run-cli.ts";
import { tempDirectory } from "../support/temp-directory.ts";

const LIFT = JSON.stringify({ holds: { CURSOR_QUOTA_HOLD: { enabled: false } } });
const ON_PATH = ["npm", "npx", "node", "bwrap", "setpriv", "unshare"];

interface Trial {
  readonly checkout: string;
  /** Runs the command line with a key, where every program but git and the shell's writes down that it was started. */
  run(args: readonly string[], env?: Readonly<Record<string, string>>): ReturnType<typeof runCli>;
  started(): readonly string[];
  readonly state: string;
}

/** A fleet with a remote and one job of the harness that is due. */
async function trial(harness = "cursor"): Promise<Trial> {
  const checkout = freshRepository();
  writeIn(checkout, "wake_jobs/.gitignore", "_last_tick.json\n");
  writeIn(checkout, "harness-wake.json", "{}");
  commitAll(checkout, "a fleet");
  addRemote(checkout);
  const [bin, state] = [tempDirectory(), join(tempDirectory(), "state")];
  const log = join(bin, "started.txt");
  for (const name of ON_PATH) writeFileSync(join(bin, name), `#!/bin/sh\necho "$0" >>"${log}"\nexit 1\n`, { mode: 0o755 });
  for (const name of ["git", "sh", "true"]) {
    symlinkSync(execFileSync("which", [name], { encoding: "utf8" }).trim(), join(bin, name));
  }
  const run = (args: readonly string[], env = {}): ReturnType<typeof runCli> =>
    runCli({ cwd: checkout, env: { PATH: bin, CURSOR_API_KEY: "key_planted", ...env } }, ...args);
  await run(["create", "harbor-train-0001", "--owner", "HARBOR", "--harness", harness, "--objective", "Go", "--within", "2d"]);
  return {
    checkout,
    run,
    state,
    started: () =>
      existsSync(log)
        ? readFileSync(log, "utf8")
            .trim()
            .split("\n")
            .map((path) => basename(path))
        : [],
  };
}

function work({ state }: Trial, harness = "cursor", ...more: readonly string[]): readonly string[] {
  return ["work", "--adapter", "cursor", "--harness", harness, "--once", "--state-dir", state, ...more];
}

/** The worker says that it is held, and has started nothing and made nothing. */
async function expectHeld(held: Trial, args = work(held), env: Readonly<Record<string, string>> = {}): Promise<void> {
  const { stdout, code } = await held.run(args, env);
  expect(
    stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)),
  ).toMatchObject([
    { event: "held", state: "CURSOR_QUOTA_HOLD" },
    { ok: true, state: "CURSOR_QUOTA_HOLD", claimed: 0, invoke_model: false },
  ]);
  expect(code).toBe(3);
  expect(held.started()).toEqual([]);
  expect(existsSync(held.state)).toBe(false);
}

test("a worker whose name is held refuses, also where it would run a command", async () => {
  const fleet = await trial();
  const left = join(fleet.checkout, "ran");
  const command = ["work", "--exec", `touch ${left}`, "--harness", "cursor", "--once", "--state-dir", fleet.state];
  const { stdout, code } = await fleet.run([...command, "--enclosure", "none"]);
  expect(JSON.parse(stdout.trim().split("\n").at(-1) ?? "")).toMatchObject({
    ok: true,
    state: "CURSOR_QUOTA_HOLD",
    claimed: 0,
    invoke_model: false,
  });
  expect(code).toBe(3);
  expect(existsSync(left)).toBe(false);
});

describe("the Cursor adapter under the hold", () => {
  test("is held by default, and a due job of Cursor's is not woken", async () => {
    const fleet = await trial();
    expect((await fleet.run(["--tick"])).json).toMatchObject({ jobs: [{ action: "HOLD", reason: "CURSOR_QUOTA_HOLD" }] });
    await expectHeld(fleet);
  });

  test("is held whatever the harness and the worker are called", async () => {
    const fleet = await trial("script");
    expect((await fleet.run(["--tick"])).json).toMatchObject({ wake_count: 1 });
    const before = readFileSync(join(fleet.checkout, "wake_jobs/harbor-train-0001.json"), "utf8");
    await expectHeld(fleet, work(fleet, "script", "--worker-id", "me"));
    expect(readFileSync(join(fleet.checkout, "wake_jobs/harbor-train-0001.json"), "utf8")).toBe(before);
  });

  test("is held by a lift that is not committed, or not pushed", async () => {
    const fleet = await trial();
    writeIn(fleet.checkout, "harness-wake.json", LIFT);
    await expectHeld(fleet);
    commitAll(fleet.checkout, "a lift of my own");
    await expectHeld(fleet);
  });

  test("is held by a lift in a flag or in a variable", async () => {
    const fleet = await trial();
    const elsewhere = join(tempDirectory(), "lift.json");
    writeFileSync(elsewhere, LIFT);
    await expectHeld(fleet, work(fleet, "cursor", "--config", elsewhere));
    await expectHeld(fleet, work(fleet), {
      HARNESS_WAKE_HOLDS: LIFT,
      HARNESS_WAKE_CURSOR_QUOTA_HOLD: "false",
      CURSOR_QUOTA_HOLD: "0",
    });
  });

  test("starts once the owner has committed and pushed the lift", async () => {
    const fleet = await trial();
    writeIn(fleet.checkout, "harness-wake.json", LIFT);
    commitAll(fleet.checkout, "lift the hold");
    git(fleet.checkout, "push", "-q", "origin", "HEAD:main");
    const { json, code } = await fleet.run(work(fleet, "cursor", "--enclosure", "none"));
    // There is no npm here that could install anything: that it was asked is what counts.
    expect(json).toMatchObject({
      ok: false,
      code: "IO",
      message: expect.stringContaining("the Cursor SDK could not be installed"),
    });
    expect(code).toBe(4);
    expect(fleet.started()).toContain("npm");
  });
});
