import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../src/facts/clock.ts";
import { openGit } from "../../src/git/git.ts";
import { FileJobStore } from "../../src/store/file-job-store.ts";
import { GitJobStore } from "../../src/store/git-job-store.ts";
import { jobIdOf } from "../../src/store/job-file.ts";
import { MemoryJobStore } from "../../src/store/memory-job-store.ts";
import { GIT_TEST_ENV, GitSandbox, runGit, runGitRaw } from "../support/git-repository.ts";
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
    revision: async () =>
      readdirSync(directory)
        .map((name) => `${name} ${statSync(join(directory, name)).ino}`)
        .join(),
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
    revision: async () => JSON.stringify([...texts]),
    tearDown: async () => texts.clear(),
  };
});

describeJobStore("GitJobStore", async () => {
  const sandbox = new GitSandbox();
  const remote = sandbox.initBare();
  const writer = sandbox.clone(remote);
  writer.write("README.md", "A fleet.\n");
  writer.commitAll();
  writer.git("push", "--quiet", "origin", "HEAD:main");
  const reader = sandbox.clone(remote);
  let isSeeded = false;
  /** Seeds are pushed together, before the store is first asked. */
  const pushSeeds = (): void => {
    if (isSeeded) return;
    isSeeded = true;
    writer.commitAll();
    writer.git("push", "--quiet", "origin", "HEAD:main");
  };
  const store = new GitJobStore({
    git: openGit({ directory: reader.directory, env: GIT_TEST_ENV }),
    remote: "origin",
    branch: undefined,
    directory: "wake_jobs",
    clock: systemClock,
    author: { name: "harness-wake", email: "harness-wake@example.net" },
  });
  return {
    store: {
      scan: async () => {
        pushSeeds();
        return store.scan();
      },
      read: async (jobId) => {
        pushSeeds();
        return store.read(jobId);
      },
      transact: async (jobIds, step) => {
        pushSeeds();
        return store.transact(jobIds, step);
      },
    },
    seed: async (fileName, text) => {
      writer.write(`wake_jobs/${fileName}`, text);
      isSeeded = false;
    },
    textOf: async (fileName) => {
      pushSeeds();
      try {
        return runGitRaw(remote, "show", `main:wake_jobs/${fileName}`);
      } catch {
        return undefined;
      }
    },
    revision: async () => {
      pushSeeds();
      return runGit(remote, "rev-parse", "main");
    },
    tearDown: async () => sandbox.remove(),
  };
});
