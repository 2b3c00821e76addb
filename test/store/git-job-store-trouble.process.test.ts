import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { systemClock } from "../../src/facts/clock.ts";
import { openGit } from "../../src/git/open-git.ts";
import { parseJob } from "../../src/job/file/parse-job.ts";
import { GitJobStore } from "../../src/store/git-job-store.ts";
import { GIT_ENV, git } from "../support/git.ts";
import { bareRepository, cloneOf, commitAll, writeIn } from "../support/git-repository.ts";
import { jobDocument } from "../support/job-builder.ts";

const JOB = parseJob(JSON.stringify(jobDocument("harbor-crane-001")), "harbor-crane-001", "harbor-crane-001.json");

function storeIn(checkout: string, directory = "wake_jobs"): GitJobStore {
  return new GitJobStore({
    git: openGit({ directory: checkout, env: GIT_ENV }),
    remote: "origin",
    branch: "main",
    directory,
    clock: systemClock,
    author: { name: "Test", email: "test@example.net" },
  });
}

function create(checkout: string, directory?: string): Promise<unknown> {
  return storeIn(checkout, directory).transact([JOB.job_id], () => ({ answer: "made", write: { job: JOB, note: "create" } }));
}

test("a push that fails though nobody else pushed is told with git's reason, not as a lost race", async () => {
  const directory = cloneOf(bareRepository());
  commitAll(directory);
  git(directory, "push", "-q", "origin", "HEAD:main");
  // A mirror takes no refspec: fetching from it works, and no push ever does.
  git(directory, "config", "remote.origin.mirror", "true");
  await expect(create(directory)).rejects.toMatchObject({
    code: "REMOTE_UNAVAILABLE",
    message: expect.stringContaining("--mirror"),
  });
});

test.each(["wake_jobs", "state/wake_jobs"])(
  "a file or link in the place of %s is told, and never removed",
  async (jobsDirectory) => {
    const directory = cloneOf(bareRepository());
    const [top = ""] = jobsDirectory.split("/");
    writeIn(directory, "real/harbor-crane-000.json", "{}");
    symlinkSync("real", join(directory, top));
    commitAll(directory, "A fleet behind a link");
    git(directory, "push", "-q", "origin", "HEAD:main");
    await expect(storeIn(directory, jobsDirectory).scan()).rejects.toMatchObject({ code: "CONFIG", file: jobsDirectory });
    await expect(create(directory, jobsDirectory)).rejects.toMatchObject({ code: "CONFIG", file: jobsDirectory });
    expect(git(directory, "ls-remote", "origin", "refs/heads/main")).toContain(git(directory, "rev-parse", "HEAD"));
  },
);
