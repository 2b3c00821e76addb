import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { openTools } from "../../../src/harness/tools/open-tools.ts";
import { callTool } from "../../support/call-tool.ts";
import { directoryBytes } from "../../support/directory-bytes.ts";
import { tempDirectory } from "../../support/temp-directory.ts";

const SWAPPER = fileURLToPath(new URL("../../support/link-swapper.ts", import.meta.url));

const ROUNDS_MIN = 500;

/** What has to be seen for the race to have been one: reading and writing went well in some rounds and were refused in others. */
const SEEN_IN_A_RACE = ["0 text", "0 error", "1 text", "1 error"];

test("whoever swaps directories and files for links meanwhile leads no tool outside", async () => {
  const [workspace, outside] = [tempDirectory(), tempDirectory()];
  mkdirSync(join(workspace, "src"));
  for (const path of [join(workspace, "src/a.txt"), join(workspace, "file.txt")]) writeFileSync(path, "inside\n");
  writeFileSync(join(outside, "a.txt"), "a secret\n");
  const before = directoryBytes(outside);
  const cage = () => {
    throw new Error("no program is run");
  };
  const tools = openTools({ workspace, authority: "read_write", enclosure: { cage }, env: {} });
  const rival = spawn(process.execPath, [SWAPPER, workspace, outside], { stdio: ["ignore", "pipe", "inherit"] });
  try {
    await once(rival.stdout, "data");
    const kinds = new Set<string>();
    for (let round = 0; round < ROUNDS_MIN || !SEEN_IN_A_RACE.every((kind) => kinds.has(kind)); round++) {
      for (const path of ["src/a.txt", "file.txt"]) {
        const results = [
          await callTool(tools, "read", { path }),
          await callTool(tools, "write", { path, content: "inside\n" }),
          await callTool(tools, "edit", { path, old_text: "secret", new_text: "evil" }),
          await callTool(tools, "search", { pattern: "secret", path }),
        ];
        expect(JSON.stringify(results)).not.toContain("a secret");
        for (const [index, { kind }] of results.entries()) kinds.add(`${index} ${kind}`);
      }
    }
    await new Promise(setImmediate);
    expect(rival.exitCode).toBeNull();
  } finally {
    rival.kill("SIGKILL");
  }
  expect(directoryBytes(outside)).toEqual(before);
});
