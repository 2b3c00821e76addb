import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

const made: string[] = [];

// Runs once for each test file, since each loads its own copy of this one.
afterAll(() => {
  for (const directory of made.splice(0)) rmSync(directory, { recursive: true, force: true });
});

/** A new empty directory outside this repository, removed when the test file is done. */
export function tempDirectory(): string {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "harness-wake-test-")));
  made.push(directory);
  return directory;
}
