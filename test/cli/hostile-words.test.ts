import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, expect, test } from "vitest";
import { printable, printableJson } from "../../src/cli/printable.ts";
import { runInProcess } from "../support/cli-in-process.ts";
import { putJob } from "../support/job-builder.ts";
import { atNoon } from "../support/noon.ts";
import { tempDirectory } from "../support/temp-directory.ts";

/** Colours, a title and C1's own escape; a line that a workflow's log would obey; writing turned around. */
const HOSTILE = "\u001b[31mred\u001b]0;title\u0007\u009b2J\u202etxet";
const COMMAND = "\n::stop-commands::all\n##[add-mask]x";

let directory: string;
beforeEach(() => {
  directory = tempDirectory();
  mkdirSync(join(directory, "wake_jobs"));
});

/** What a person at a terminal sees. */
async function see(...args: readonly string[]): Promise<string> {
  return run(true, args);
}

async function run(stdoutIsTerminal: boolean, args: readonly string[]): Promise<string> {
  const { out, err } = await runInProcess({ cwd: directory, stdoutIsTerminal }, ...args);
  return err + out;
}

/** Line feeds aside, nothing that a terminal acts on; and no line that a workflow's log takes for a command. */
function expectQuiet(seen: string): void {
  expect(seen).not.toMatch(/[^\P{Cc}\n]|\p{Bidi_Control}/u);
  expect(seen).not.toMatch(/::[a-z-]+|##\[/i);
}

test("a job file's words reach neither the terminal's controls nor a workflow's log as a command", async () => {
  const jobs = join(directory, "wake_jobs");
  putJob(jobs, "harbor-crane-001", { objective: HOSTILE });
  writeFileSync(join(jobs, "harbor-crane-002.json"), `x${COMMAND}${HOSTILE}`);
  writeFileSync(join(jobs, `a${COMMAND}${HOSTILE}.json`), "{}");
  for (const args of [
    ["list"],
    ["status"],
    ["show", "harbor-crane-001"],
    ["show", "harbor-crane-002", "--debug"],
    ["why", "harbor-crane-001"],
  ]) {
    expectQuiet(await see(...args));
  }
  expectQuiet(await see("--tick", "--dry-run", "--now", atNoon(), "--summary", "summary.md"));
  expectQuiet(readFileSync(join(directory, "summary.md"), "utf8"));
  expect(await see("show", "harbor-crane-001")).toContain("\\u001b[31mred");
});

test("JSON for programs is as quiet, and its values are the same", async () => {
  const jobs = join(directory, "wake_jobs");
  const fields = {
    objective: HOSTILE,
    blocker: { kind: "unavailable_state", detail: `${COMMAND} ##vso[task.x] :::y`, fingerprint: "f" },
  };
  putJob(jobs, "harbor-crane-001", { ...fields, checkpoint: { "::error::": COMMAND, "##[x]": "\u007f\u2028\u061c" } });
  writeFileSync(join(jobs, `${COMMAND}.json`), "{}");
  const shown = await run(false, ["show", "harbor-crane-001"]);
  expectQuiet(shown);
  expect(JSON.parse(shown)).toMatchObject({ ...fields, checkpoint: { "::error::": COMMAND, "##[x]": "\u007f\u2028\u061c" } });
  const quiet = await run(false, ["--tick", "--dry-run", "--now", atNoon()]);
  expectQuiet(quiet);
  expect(quiet).toContain("stop-commands");
  expectQuiet(await run(false, ["create", `${COMMAND}${HOSTILE}`]));
});

test("any words are printed as one quiet line, twice as once", () => {
  const word = fc.oneof(
    fc.constantFrom(":", "::", "#", "##[", "a", "[", "\n", "\r", "\u009b", "\u202e"),
    fc.string({ unit: "binary" }),
  );
  fc.assert(
    fc.property(fc.array(word), (words) => {
      const printed = printable(words.join(""));
      expect(printed).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]|::[A-Za-z]|##\w*\[/u);
      expect(printable(printed)).toBe(printed);
      expect(JSON.parse(printableJson(words))).toEqual(words);
    }),
  );
});
