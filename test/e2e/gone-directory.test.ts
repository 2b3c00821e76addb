import { rmSync } from "node:fs";
import { expect, test } from "vitest";
import { runCli } from "../support/run-cli.ts";
import { tempDirectory } from "../support/temp-directory.ts";

test("a working directory that is gone is told as such, exit 4, without a stack trace", async () => {
  const cwd = tempDirectory();
  const run = await runCli({ cwd, launcher: ["sh", "-c", 'rmdir "$PWD" && exec "$0" "$@"', process.execPath] }, "--tick");
  rmSync(cwd, { recursive: true, force: true });
  expect(run.code).toBe(4);
  expect(run.stderr).toContain("the working directory is gone");
  expect(run.stderr).not.toContain("    at ");
});
