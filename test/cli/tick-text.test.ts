import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { runInProcess } from "../support/cli-in-process.ts";
import { putJob } from "../support/job-builder.ts";
import { atNoon } from "../support/noon.ts";
import { tempDirectory } from "../support/temp-directory.ts";

const ID = "harbor-crane-001";
/** A port that nobody listens on. */
const NOBODY = "http://127.0.0.1:9/harbor-wakes";

let cwd: string;
beforeEach(() => {
  cwd = tempDirectory();
  mkdirSync(join(cwd, "wake_jobs"));
  putJob(join(cwd, "wake_jobs"), ID);
});

async function tick(...flags: readonly string[]): Promise<readonly string[]> {
  const { out } = await runInProcess({ cwd, stdoutIsTerminal: true }, "--tick", ...flags, "--now", atNoon());
  return out.split("\n").slice(2);
}

describe("on a terminal a pass says what became of the mail", () => {
  test("nothing in a fleet that does not mail", async () => {
    expect(await tick()).toEqual(["1 wake, 0 back off, 0 held, 0 stop, 0 broken; no model was run", "file store: wake_jobs", ""]);
  });

  test("that it is owed after a pass that does not deliver, and what sends it", async () => {
    writeFileSync(join(cwd, "harness-wake.json"), JSON.stringify({ ntfy: {} }));
    expect(await tick()).toEqual([
      expect.any(String),
      "mail: 0 sent, 0 failed, 1 owed",
      `  owed: ${ID}-a01: this pass does not deliver; --tick --deliver sends it`,
      "file store: wake_jobs",
      "",
    ]);
  });

  test("nothing of a pass that only looks", async () => {
    writeFileSync(join(cwd, "harness-wake.json"), JSON.stringify({ ntfy: {} }));
    expect(await tick("--dry-run")).toEqual([expect.any(String), "file store: wake_jobs; nothing was written", ""]);
  });

  test("that it failed, why, and that it is still owed; the next pass says that it waits", async () => {
    writeFileSync(join(cwd, "harness-wake.json"), JSON.stringify({ ntfy: { urls: [NOBODY] } }));
    expect(await tick("--deliver")).toEqual([
      expect.any(String),
      "mail: 0 sent, 1 failed, 1 owed",
      expect.stringMatching(new RegExp(`^  failed, tried again later: ${ID}-a01: .`)),
      "file store: wake_jobs",
      "",
    ]);
  });
});
