import { openGit } from "../../src/git/git.ts";
import { CLONE_ENV, JOBS, storeOver } from "../support/git-fleet.ts";
import { GitRemote } from "../support/git-remote.ts";
import { describeJobStore } from "./job-store-suite.ts";

const NOON = 1_796_040_000;

/** The full clone too where chaos is full: git itself is the slow part, and a clone of depth 1 is the harder one. */
const CLONES = [["depth 1", "--depth", "1"], ...(process.env["HARNESS_WAKE_CHAOS"] === "full" ? [["full"]] : [])] as const;

for (const [depth = "", ...options] of CLONES) {
  describeJobStore(`GitJobStore in a clone (${depth})`, async () => {
    const remote = new GitRemote({ "README.md": "A fleet.\n" });
    const store = storeOver(openGit({ directory: remote.clone(...options), env: CLONE_ENV }), () => NOON);
    // A commit a file would be slow: seeds wait here until somebody looks.
    let seeds: Record<string, string> = {};
    const plant = (): void => {
      if (Object.keys(seeds).length > 0) remote.commit(seeds);
      seeds = {};
    };
    return {
      store: {
        scan: () => {
          plant();
          return store.scan();
        },
        read: (jobId) => {
          plant();
          return store.read(jobId);
        },
        transact: (jobIds, step) => {
          plant();
          return store.transact(jobIds, step);
        },
      },
      seed: async (fileName, text) => {
        seeds[`${JOBS}/${fileName}`] = text;
      },
      textOf: async (fileName) => {
        plant();
        return remote.text(`${JOBS}/${fileName}`);
      },
      tearDown: async () => undefined,
    };
  });
}
