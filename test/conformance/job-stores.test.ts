import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe } from "vitest";
import { systemClock } from "../../src/facts/clock.ts";
import { FileJobStore } from "../../src/store/file-job-store.ts";
import { jobIdOf } from "../../src/store/job-file.ts";
import type { JobStore } from "../../src/store/job-store.ts";
import { MemoryJobStore } from "../../src/store/memory-job-store.ts";
import { ToldJobStore } from "../../src/told-ports.ts";
import { tempDirectory } from "../support/temp-directory.ts";
import { describeJobStore } from "./job-store-suite.ts";

describeJobStore("FileJobStore", async () => {
  const directory = tempDirectory();
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
    revision: async () =>
      readdirSync(directory)
        .filter((name) => name !== ".lock.d")
        .map((name) => `${name} ${statSync(join(directory, name)).ino}`)
        .join(),
  };
});

describe.each([
  ["MemoryJobStore", (store: JobStore) => store],
  ["ToldJobStore", (store: JobStore) => new ToldJobStore(store, () => undefined)],
] as const)("in memory", (name, wrap) => {
  describeJobStore(name, async () => {
    const texts = new Map<string, string>();
    return {
      store: wrap(new MemoryJobStore(texts)),
      seed: async (fileName, text) => {
        texts.set(jobIdOf(fileName), text);
      },
      textOf: async (fileName) => texts.get(jobIdOf(fileName)),
      revision: async () => JSON.stringify([...texts]),
    };
  });
});
