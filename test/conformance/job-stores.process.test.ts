import { systemClock } from "../../src/facts/clock.ts";
import { openGit } from "../../src/git/open-git.ts";
import { GitJobStore } from "../../src/store/git-job-store.ts";
import { GIT_ENV, git, gitOutput } from "../support/git.ts";
import { addRemote, cloneOf, commitAll, freshRepository, writeIn } from "../support/git-repository.ts";
import { describeJobStore } from "./job-store-suite.ts";

describeJobStore("GitJobStore", async () => {
  const writer = freshRepository();
  writeIn(writer, "README.md", "A fleet.\n");
  commitAll(writer);
  const remote = addRemote(writer);
  let isSeeded = false;
  /** Seeds are pushed together, before the store is first asked. */
  const pushSeeds = (): void => {
    if (isSeeded) return;
    isSeeded = true;
    commitAll(writer);
    git(writer, "push", "-q", "origin", "main");
  };
  const store = new GitJobStore({
    git: openGit({ directory: cloneOf(remote), env: GIT_ENV }),
    remote: "origin",
    branch: undefined,
    directory: "wake_jobs",
    clock: systemClock,
    author: { name: "harness-wake", email: "harness-wake@example.net" },
  });
  return {
    store: {
      kind: "file",
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
      writeIn(writer, `wake_jobs/${fileName}`, text);
      isSeeded = false;
    },
    textOf: async (fileName) => {
      pushSeeds();
      try {
        return gitOutput(remote, ["show", `main:wake_jobs/${fileName}`]);
      } catch {
        return undefined;
      }
    },
    revision: async () => {
      pushSeeds();
      return git(remote, "rev-parse", "main");
    },
  };
});
