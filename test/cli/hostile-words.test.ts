import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { runProgram } from "../../src/cli/program.ts";
import { putJob } from "../support/job-builder.ts";
import { atNoon } from "../support/noon.ts";
import { tempDirectory } from "../support/temp-directory.ts";

/** Colours, a title and C1's own escape; a line that a workflow's log would obey; writing turned around. */
const HOSTILE = "\u001b[31mred\u001b]0;title\u0007\u009b2J\u202etxet";
const COMMAND = "\n::stop-commands::all\n";

let directory: string;
beforeEach(() => {
  directory = tempDirectory();
  mkdirSync(join(directory, "wake_jobs"));
});

/** What a person at a terminal sees. */
async function see(...args: readonly string[]): Promise<string> {
  let seen = "";
  const see = (text: string): void => {
    seen += text;
  };
  await runProgram(args, { cwd: directory, env: {}, stdoutIsTerminal: true, stdin: () => Buffer.alloc(0), out: see, err: see });
  return seen;
}

/** Line feeds aside, nothing that a terminal acts on; and no line that a workflow's log takes for a command. */
function expectQuiet(seen: string): void {
  expect(seen).not.toMatch(/[^\P{Cc}\n]|\p{Bidi_Control}/u);
  expect(seen).not.toMatch(/^\s*::/m);
}

test("a job file's words reach neither the terminal's controls nor a workflow's log as a command", async () => {
  const jobs = join(directory, "wake_jobs");
  putJob(jobs, "harbor-crane-001", { objective: HOSTILE });
  writeFileSync(join(jobs, "harbor-crane-002.json"), `x${COMMAND}${HOSTILE}`);
  writeFileSync(join(jobs, `a${COMMAND}${HOSTILE}.json`), "{}");
  for (const args of [["list"], ["show", "harbor-crane-001"], ["show", "harbor-crane-002", "--debug"]]) {
    expectQuiet(await see(...args));
  }
  expectQuiet(await see("--tick", "--dry-run", "--now", atNoon(), "--summary", "summary.md"));
  expectQuiet(readFileSync(join(directory, "summary.md"), "utf8"));
  expect(await see("show", "harbor-crane-001")).toContain('"\\u001b[31mred');
});
