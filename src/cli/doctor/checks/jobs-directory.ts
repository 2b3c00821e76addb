import { lstatSync } from "node:fs";
import { relative } from "node:path";
import type { Check } from "../check.ts";
import { ok, trouble } from "../finding.ts";
import { quoted } from "../quoted.ts";

export const jobsDirectoryCheck: Check = {
  name: "jobs directory",
  look: async (examined) => {
    const { place, isGitStore } = examined;
    const { jobsDirectory, dir } = place;
    if (!isGitStore) {
      const found = lstatSync(jobsDirectory, { throwIfNoEntry: false });
      const means = "there are no jobs, and a tick refuses";
      if (found === undefined) {
        return [
          trouble(`${jobsDirectory} is not there`, means, { command: `mkdir -p ${quoted(relative(dir, jobsDirectory) || ".")}` }),
        ];
      }
      if (!found.isDirectory()) {
        return [
          trouble(`${jobsDirectory} is no directory`, means, { decision: "move it away, or name another directory as jobs_dir" }),
        ];
      }
    }
    const jobs = await examined.jobs();
    return [ok(`${jobs.length} job ${jobs.length === 1 ? "file" : "files"}`)];
  },
};
