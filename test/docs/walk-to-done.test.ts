import { spawn } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { GIT_ENV } from "../support/git.ts";
import { startNtfyProcess } from "../support/ntfy-process.ts";
import { readmeWalk } from "../support/readme-walk.ts";
import { tempDirectory } from "../support/temp-directory.ts";

const ROOT = join(import.meta.dirname, "../..");
const TERMINAL_CLI = join(ROOT, "test/support/terminal-cli.ts");
const NEXT_STEP = "--- next step ---";

it("the README's walk from WAKE to DONE prints on a terminal what the README shows", async () => {
  const walk = readmeWalk("From WAKE to DONE");
  expect(walk.map(({ output }) => output).join("")).toMatch(/RUNNABLE.*CHECKPOINT.*NOT_DURABLE.*: DONE/s);
  const ntfy = await startNtfyProcess();
  try {
    const printed = await paste(walk.map(({ commands }) => commands.replaceAll("https://ntfy.sh", ntfy.url)));
    expect(printed.map(withoutTimes)).toEqual(walk.map(({ output }) => output));
    expect(await ntfy.messages("harbor-wakes-tXJ41Qm")).toHaveLength(2);
  } finally {
    await ntfy.stop();
  }
});

/** Pastes the steps into one shell, where `npx harness-wake` is the command line at a terminal; what each step printed. */
async function paste(steps: readonly string[]): Promise<string[]> {
  const scratch = tempDirectory();
  const npx = join(scratch, "npx");
  writeFileSync(npx, `#!/bin/sh\n[ "$1" = harness-wake ] && shift && exec "${process.execPath}" "${TERMINAL_CLI}" "$@"\n`);
  chmodSync(npx, 0o755);
  const path = [scratch, dirname(process.execPath), process.env["PATH"]].join(delimiter);
  const shell = spawn("sh", ["-e"], { cwd: ROOT, env: { ...GIT_ENV, PATH: path, HOME: scratch, TMPDIR: scratch } });
  shell.stdin.end(steps.join(`echo "${NEXT_STEP}"\n`));
  const [stdout, stderr] = await Promise.all([text(shell.stdout), text(shell.stderr)]);
  expect(stderr).toBe("");
  return stdout.split(`${NEXT_STEP}\n`);
}

function withoutTimes(output: string): string {
  return output.replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, "2026-11-30T12:00:00Z");
}
