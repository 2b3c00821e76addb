import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { GIT_ENV } from "./git.ts";
import { tempDirectory } from "./temp-directory.ts";

const ROOT = join(import.meta.dirname, "../..");
const NEXT_STEP = "--- next step ---";

export interface Printed {
  /** What each step printed. */
  readonly outputs: readonly string[];
  readonly stderr: string;
  readonly code: unknown;
}

export interface Pasted extends Printed {
  /** What the steps left in the directory where they were pasted. */
  readonly leftBehind: readonly string[];
}

/**
 * Pastes steps into one shell, in a directory where this package is installed and nothing else is. `npx harness-wake` runs
 * the program `cli`.
 */
export async function paste(steps: readonly string[], cli: string): Promise<Pasted> {
  const scratch = tempDirectory();
  const project = join(scratch, "project");
  mkdirSync(join(project, "node_modules"), { recursive: true });
  symlinkSync(ROOT, join(project, "node_modules/harness-wake"));
  const before = readdirSync(project);
  const npx = join(scratch, "npx");
  writeFileSync(npx, `#!/bin/sh\n[ "$1" = harness-wake ] && shift && exec "${process.execPath}" "${cli}" "$@"\n`);
  chmodSync(npx, 0o755);
  const path = [scratch, dirname(process.execPath), process.env["PATH"]].join(delimiter);
  const printed = await pasteInto(project, { ...GIT_ENV, NO_COLOR: "1", PATH: path, HOME: scratch, TMPDIR: scratch }, steps);
  return { ...printed, leftBehind: readdirSync(project).filter((name) => !before.includes(name)) };
}

/** Pastes steps into one shell in a directory; the shell ends where one of them fails. */
export async function pasteInto(cwd: string, env: NodeJS.ProcessEnv, steps: readonly string[]): Promise<Printed> {
  const shell = spawn("sh", ["-e"], { cwd, env });
  shell.stdin.end(steps.join(`echo "${NEXT_STEP}"\n`));
  const [stdout, stderr, [code]] = await Promise.all([text(shell.stdout), text(shell.stderr), once(shell, "close")]);
  return { outputs: stdout.split(`${NEXT_STEP}\n`), stderr, code };
}

/** Every time as the pages show it, so that outputs can be compared. */
export function withoutTimes(output: string): string {
  return output.replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, "2026-11-30T12:00:00Z");
}

/** A worker's first line as it is on any machine: who works, and what closes runs in there, differs. */
export function withoutMachine(output: string): string {
  return output.replaceAll(/^\S+ works for (\S+)\. .*$/gm, "my-machine works for $1. …");
}
