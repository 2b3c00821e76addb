import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { atNoon } from "../support/noon.ts";
import { runCli } from "../support/run-cli.ts";
import { tempDirectory } from "../support/temp-directory.ts";

test("_last_tick.json is never written through a link that a repository brought along, and failing to fails nothing", async () => {
  const cwd = tempDirectory();
  mkdirSync(join(cwd, "wake_jobs"));
  writeFileSync(join(cwd, "precious"), "kept\n");
  symlinkSync(join(cwd, "precious"), join(cwd, "wake_jobs/_last_tick.json"));
  expect(await runCli({ cwd }, "--tick", "--now", atNoon())).toMatchObject({ code: 0, json: { ok: true } });
  expect(readFileSync(join(cwd, "precious"), "utf8")).toBe("kept\n");
});
