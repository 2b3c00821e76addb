import { afterAll, expect, test } from "vitest";
import { systemClock } from "../../src/facts/clock.ts";
import { openGit } from "../../src/git/git.ts";
import { parseJob } from "../../src/job/parse-job.ts";
import { GitJobStore } from "../../src/store/git-job-store.ts";
import { GIT_TEST_ENV, GitSandbox } from "../support/git-repository.ts";
import { jobDocument } from "../support/job-document.ts";

const sandbox = new GitSandbox();
afterAll(() => sandbox.remove());

test("a push that fails though nobody else pushed is told with git's reason, not as a lost race", async () => {
  const remote = sandbox.initBare();
  const { directory, git } = sandbox.clone(remote);
  git("commit", "--quiet", "--allow-empty", "-m", "A fleet");
  git("push", "--quiet", "origin", "HEAD:main");
  // A mirror takes no refspec: fetching from it works, and no push ever does.
  git("config", "remote.origin.mirror", "true");
  const store = new GitJobStore({
    git: openGit({ directory, env: GIT_TEST_ENV }),
    remote: "origin",
    branch: "main",
    directory: "wake_jobs",
    clock: systemClock,
    author: { name: "Test", email: "test@example.net" },
  });
  const job = parseJob(JSON.stringify(jobDocument("harbor-crane-001")), "harbor-crane-001", "harbor-crane-001.json");
  const failing = store.transact([job.job_id], () => ({ answer: "made", write: { job, note: "create" } }));
  await expect(failing).rejects.toMatchObject({ code: "REMOTE_UNAVAILABLE", message: expect.stringContaining("--mirror") });
});
