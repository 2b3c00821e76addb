import { expect, test } from "vitest";
import { openGit } from "../../src/git/open-git.ts";
import { GIT_ENV } from "../support/git.ts";
import { JOBS, storeOver } from "../support/git-fleet.ts";
import { GitRemote } from "../support/git-remote.ts";
import { jobText } from "../support/job-builder.ts";

const [MOVES, ASKS] = ["harbor-moves-0001", "harbor-asks-0001"];

test("a transaction in which a job asks for more writes none of its jobs, so that a pass pushes its decisions once", async () => {
  const seeds = [MOVES, ASKS].map((job_id) => [`${JOBS}/${job_id}.json`, jobText({ job_id })]);
  const remote = new GitRemote(Object.fromEntries(seeds));
  const store = storeOver(openGit({ directory: remote.clone(), env: GIT_ENV }), () => 1_796_040_000);
  const before = remote.git("rev-parse", "main");

  const decide = (isKnown: boolean) =>
    store.transact([MOVES, ASKS], ({ job_id, job }) => {
      if (job === undefined) throw new Error(`${job_id} is gone`);
      if (job_id === ASKS && !isKnown) return { answer: "asks", isDeferred: true };
      return { answer: "moved", write: { job: { ...job, tokens_used: job.tokens_used + 1 }, note: `MOVED ${job_id}` } };
    });
  expect([...(await decide(false))]).toEqual([[ASKS, { answer: "asks" }]]);
  expect(remote.git("rev-parse", "main")).toBe(before);

  expect((await decide(true)).size).toBe(2);
  expect(remote.git("rev-list", "--count", `${before}..main`)).toBe("1");
});
