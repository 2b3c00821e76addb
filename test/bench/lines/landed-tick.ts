import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { runTick } from "../../../src/wake/run-tick.ts";
import { dueJob } from "../../support/due-job.ts";
import { FakeMailer } from "../../support/fake-mailer.ts";
import { git } from "../../support/git.ts";
import { GitRemote, jobFiles } from "../../support/git-remote.ts";
import { jobIds } from "../bench-jobs.ts";
import type { Measurement } from "../line.ts";
import { milliseconds } from "../machine.ts";
import { timed } from "../timed.ts";
import { gitFleetAt } from "../woken-git-fleet.ts";

/** One job in so many is due. */
const DUE = 100;

/** One landed, mailing tick over many jobs of which some are due, against writing, committing and pushing as many files by hand. */
export const measurement: Measurement = {
  name: "landed-tick",
  async measure(_machine, { jobs }) {
    const ids = jobIds(jobs);
    const due = ids.filter((_, i) => i % DUE === 0);
    const later = { next_wake_at: "2099-01-01T00:00:00Z" };
    const remote = new GitRemote(jobFiles(ids.map((jobId, i) => dueJob(jobId, i % DUE === 0 ? {} : later))));
    const [fleet, plain] = [await gitFleetAt(remote.clone()), remote.clone()];
    const tickMs = await timed(async () => {
      const { wake_count, delivered_count } = await runTick({ ...fleet, mailer: new FakeMailer() }, { workerId: "bench" });
      if (wake_count !== due.length || delivered_count !== due.length)
        throw new Error(`it woke ${wake_count} and mailed ${delivered_count}`);
    });
    const plainMs = await timed(() => {
      for (const round of [1, 2]) {
        for (const jobId of due) writeFileSync(join(plain, `wake_jobs/${jobId}.json`), `${round}\n`);
        git(plain, "add", "wake_jobs");
        git(plain, "commit", "-q", "-m", `round ${round}`);
        git(plain, "push", "-q", "origin", "HEAD:plain");
      }
    });
    return [
      {
        title: `landed tick over ${jobs} jobs, ${due.length} woken and mailed / twice git add, commit, push of as many files`,
        measured: milliseconds(tickMs),
        floor: milliseconds(plainMs),
        ratio: tickMs / plainMs,
      },
    ];
  },
};
