import { mkdirSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { findEnclosure } from "../../../src/harness/enclosure/find-enclosure.ts";
import { runEnclosed } from "../../../src/harness/enclosure/run-enclosed.ts";
import { processesWith } from "../../support/enclosed-run.ts";
import { tempDirectory } from "../../support/temp-directory.ts";

const INNER = fileURLToPath(new URL("../../support/inner-run.ts", import.meta.url));
const ROOT = join(dirname(INNER), "../..");
const SECRET = "a-secret-of-the-outer-run";

/** What a command writes that is enclosed inside an enclosed run; undefined where this machine has no bubblewrap. */
async function insideTwo(command: string, workspace = tempDirectory()): Promise<string | undefined> {
  const scratch = join(workspace, "scratch");
  mkdirSync(scratch);
  const enclosure = await findEnclosure({ choice: "auto", env: process.env });
  if (enclosure.kind !== "bwrap") return undefined;
  let said = "";
  const run = runEnclosed(enclosure, {
    argv: [process.execPath, INNER, command, scratch],
    cwd: workspace,
    env: { PATH: process.env["PATH"] ?? "", SECRET },
    mounts: [
      { path: ROOT, access: "read" },
      { path: workspace, access: "write" },
    ],
    stdin: "",
    onStdout: (chunk) => {
      said += chunk;
    },
    onStderr: (chunk) => {
      said += chunk;
    },
  });
  await run.ended;
  return said;
}

test("inside an enclosure a command can be enclosed once more, and looks into nothing of the run that started it", async ({
  skip,
}) => {
  const said = await insideTwo("cat /proc/$OUTER/environ; dd if=/proc/$OUTER/mem bs=1 count=1; env; echo end");
  if (said === undefined) return skip();
  expect(said).toMatch(/bwrap {"state":"ended","exit_code":0/);
  expect(said.match(/Permission denied/g)).toHaveLength(2);
  expect(said).not.toContain(SECRET);
});

test("there it writes only where it may, and leaves nothing behind", async ({ skip }) => {
  const [workspace, mark] = [tempDirectory(), crypto.randomUUID()];
  const hold = `sh -c 'while :; do sleep 1; done' ${mark}`;
  const said = await insideTwo(`touch in ../out; setsid ${hold} >/dev/null 2>&1 & echo end`, workspace);
  if (said === undefined) return skip();
  expect(said).toMatch(/bwrap {"state":"ended","exit_code":0/);
  expect(readdirSync(workspace, { recursive: true })).toEqual(["scratch", "scratch/in"]);
  expect(processesWith(mark)).toEqual([]);
});
