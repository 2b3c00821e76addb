import { execFileSync } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { verbExamples } from "../../scripts/cli-reference.ts";
import { fleetWithRemote } from "../support/fleet-with-remote.ts";
import { GIT_ENV } from "../support/git.ts";
import { type NtfyProcess, startNtfyProcess } from "../support/ntfy-process.ts";
import { CLI } from "../support/run-cli.ts";
import { tempDirectory } from "../support/temp-directory.ts";

/** The life of one job, in which each example finds what it is about. */
const WALK = [
  ...["create", "update", "status", "list", "show", "why", "holds", "probe"],
  ...["harness-wake", "release", "harness-wake", "inbox", "claim", "renew", "finish"],
  ...["harness-wake", "claim", "fail", "block", "unblock", "harness-wake", "work", "report", "cancel", "completion"],
];

const EXAMPLES = verbExamples();

let ntfy: NtfyProcess;
beforeAll(async () => {
  ntfy = await startNtfyProcess();
});
afterAll(() => ntfy.stop());

/** Runs a line as somebody would who installed the program. Gives its exit code. */
function type(line: string, cwd: string, bin: string): number {
  const env = { ...GIT_ENV, HOME: cwd, PATH: `${bin}:${GIT_ENV.PATH}`, HARNESS_WAKE_NTFY_URLS: `${ntfy.url}/examples` };
  try {
    execFileSync("sh", ["-c", line], { cwd, env, stdio: "pipe", timeout: 120_000 });
    return 0;
  } catch (error) {
    if (error instanceof Error && "status" in error && typeof error.status === "number") return error.status;
    throw error;
  }
}

function installed(): string {
  const bin = tempDirectory();
  writeFileSync(join(bin, "harness-wake"), `#!/bin/sh\nexec '${process.execPath}' '${CLI}' "$@"\n`);
  chmodSync(join(bin, "harness-wake"), 0o755);
  return bin;
}

it("every verb has an example", () => {
  expect([...EXAMPLES].filter(([, example]) => example === undefined)).toEqual([]);
  expect(new Set([...WALK, "init", "doctor"])).toEqual(new Set(EXAMPLES.keys()));
});

it("the examples of the verbs work as they stand", () => {
  const bin = installed();
  const { directory } = fleetWithRemote({});
  const codes = WALK.map((verb) => [verb, type(EXAMPLES.get(verb) ?? "", directory, bin)]);
  expect(codes).toEqual(WALK.map((verb) => [verb, 0]));
  // A job that was cancelled needs nobody; that no workflow ticks is a note.
  expect(type(EXAMPLES.get("doctor") ?? "", directory, bin)).toBeLessThan(2);
  expect(type(EXAMPLES.get("init") ?? "", fleetWithRemote({}).directory, bin)).toBe(0);
});
