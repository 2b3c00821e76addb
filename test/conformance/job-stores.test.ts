import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../src/facts/clock.ts";
import { FileJobStore } from "../../src/store/file-job-store.ts";
import { jobIdOf } from "../../src/store/job-file.ts";
import { MemoryJobStore } from "../../src/store/memory-job-store.ts";
import { describeJobStore } from "./job-store-suite.ts";

describeJobStore("FileJobStore", async () => {
  const directory = mkdtempSync(join(tmpdir(), "harness-wake-store-"));
  return {
    store: new FileJobStore({ directory, displayName: "wake_jobs", clock: systemClock }),
    seed: async (fileName, text) => writeFileSync(join(directory, fileName), text),
    textOf: async (fileName) => {
      try {
        return readFileSync(join(directory, fileName), "utf8");
      } catch {
        return undefined;
      }
    },
    tearDown: async () => rmSync(directory, { recursive: true }),
  };
});

describeJobStore("MemoryJobStore", async () => {
  const texts = new Map<string, string>();
  return {
    store: new MemoryJobStore(texts),
    seed: async (fileName, text) => {
      texts.set(jobIdOf(fileName), text);
    },
    textOf: async (fileName) => texts.get(jobIdOf(fileName)),
    tearDown: async () => texts.clear(),
  };
});
