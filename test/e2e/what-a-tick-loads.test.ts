import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, it } from "vitest";
import { freshRepository } from "../support/git-repository.ts";
import { putJob } from "../support/job-builder.ts";
import { atNoon } from "../support/noon.ts";
import { runCli } from "../support/run-cli.ts";
import { tempDirectory } from "../support/temp-directory.ts";

/** Which files a run of the built command line loads, by their names. */
async function loadedBy(...args: readonly string[]): Promise<readonly string[]> {
  const cwd = freshRepository();
  mkdirSync(join(cwd, "wake_jobs"));
  putJob(join(cwd, "wake_jobs"), "harbor-later-0001", { next_wake_at: "2099-01-01T00:00:00Z" });
  const scratch = tempDirectory();
  const hook = join(scratch, "hook.cjs");
  const record = join(scratch, "loaded.json");
  writeFileSync(
    hook,
    `process.on("exit", () => require("fs").writeFileSync(${JSON.stringify(record)}, JSON.stringify(Object.keys(require.cache))));`,
  );
  const run = await runCli({ cwd, env: { NODE_OPTIONS: `--require=${JSON.stringify(hook)}` } }, ...args, "--now", atNoon());
  expect(run).toMatchObject({ code: 0, stderr: "" });
  const loaded: readonly string[] = JSON.parse(readFileSync(record, "utf8"));
  return loaded.filter((file) => file !== hook).map((file) => basename(file));
}

it("a quiet tick loads the one file of the command line, and no part of it, no package and nothing for terminals", async () => {
  expect(await loadedBy("--tick")).toEqual(["cli.cjs"]);
});

it("what lays a table out is loaded for a table alone", async () => {
  expect(await loadedBy("list")).not.toContainEqual(expect.stringMatching(/^(?:fleet-table|paint)-/));
  expect(await loadedBy("list", "--format", "table")).toContainEqual(expect.stringMatching(/^fleet-table-/));
});
