import { join } from "node:path";
import { setTimeout as passes } from "node:timers/promises";
import { expect, it } from "vitest";
import { formatJob } from "../../src/job/file/format-job.ts";
import { parseJob } from "../../src/job/file/parse-job.ts";
import type { Job } from "../../src/job/job.ts";
import { attemptId } from "../../src/job/offer.ts";
import { planJob } from "../../src/wake/plan-tick.ts";
import { dueJob } from "../support/due-job.ts";
import { ForkedProgram } from "../support/forked-program.ts";
import { JobsDirectory } from "../support/jobs-directory.ts";
import { LineLog } from "../support/line-log.ts";
import { NOON } from "../support/noon.ts";
import type { RivalMessage } from "../support/rival-ticker.ts";
import { SeededRandom } from "../support/seeded-random.ts";
import { tempDirectory } from "../support/temp-directory.ts";
import { tickDirectory } from "../support/tick-directory.ts";
import { CHAOS_TIMEOUT_MS, COUNTS } from "./counts.ts";

/** Past any lease and any backoff: every job moves in every round, and waking takes turns with backing off. */
const ROUND_SECONDS = 10_000;

it("a tick killed at a random moment leaves each job wholly before or wholly after, and mints no attempt twice", {
  timeout: CHAOS_TIMEOUT_MS,
}, async () => {
  const random = new SeededRandom();
  const jobIds = Array.from({ length: COUNTS.jobsUnderKill }, (_, i) => `mortal-${String(i).padStart(4, "0")}`);
  using directory = new JobsDirectory(jobIds.map((jobId) => dueJob(jobId, { checkpoint: { notes: "x".repeat(500) } })));
  const log = new LineLog<string>(join(tempDirectory(), "invoked"));
  await using crew = new AsyncDisposableStack();
  const start = (): ForkedProgram<RivalMessage> =>
    crew.use(new ForkedProgram<RivalMessage>("./rival-ticker.ts", directory.path, log.path));

  const signals: string[] = [];
  const outcomes = { before: 0, within: 0, after: 0 };
  let tickMs = await usualTickMs(jobIds);
  let next = start();
  let round = 0;
  // Chance may miss the writing itself for a few rounds; a test that always missed it would show nothing.
  while (round < COUNTS.killRounds || (outcomes.within === 0 && round < 4 * COUNTS.killRounds)) {
    round += 1;
    const where = `seed ${random.seed}, round ${round}`;
    const now = NOON + round * ROUND_SECONDS;
    const before = directory.texts();
    const mortal = next;
    mortal.tell({ now });
    expect(await mortal.hear(), where).toBe("armed");
    mortal.tell("go");
    await passes((0.4 + 0.8 * random.next()) * tickMs);
    await mortal.kill();
    // Starting takes longer than dying: the next victim gets ready meanwhile.
    next = start();

    let writes = 0;
    for (const [jobId, text] of directory.texts()) {
      if (text === before.get(jobId)) continue;
      writes += 1;
      expect(text, `${jobId}, ${where}`).toBe(movedText(jobId, before.get(jobId) ?? "", now, parseJob(text, jobId, jobId)));
    }
    outcomes[writes === 0 ? "before" : writes === jobIds.length ? "after" : "within"] += 1;
    // Aim where the writing is, on this machine and as loaded as it is now.
    tickMs *= writes === jobIds.length ? 0.9 : writes === 0 ? 1.1 : 1;

    directory.takeLockForDead();
    const summary = await tickDirectory(directory.path, now);
    expect(summary.ok, where).toBe(true);
    expect(directory.tempFiles(), where).toEqual([]);
    signals.push(...summary.jobs.flatMap((row) => (row.invoke_model ? (row.attempt_id ?? "") : [])));
  }

  signals.push(...log.entries());
  expect(new Set(signals).size, `signals to run a model, seed ${random.seed}`).toBe(signals.length);
  const jobs = jobIds.map((jobId) => directory.job(jobId));
  for (const { job_id, attempt_count, event_receipts } of jobs) {
    expect(attempt_count).toBe(Math.ceil(round / 2));
    const numbered = Array.from({ length: attempt_count }, (_, i) => attemptId(job_id, i + 1));
    expect(event_receipts.map((receipt) => receipt.attempt_id)).toEqual(numbered);
  }
  const leases = jobs.flatMap((job) => job.event_receipts.map((receipt) => receipt["lease_id"]));
  expect(new Set(leases).size).toBe(leases.length);
  expect(outcomes.within, `rounds that were killed in the midst of writing: ${JSON.stringify(outcomes)}`).toBeGreaterThan(0);
});

it("what a killed tick left half written is gone as soon as somebody takes the lock", async () => {
  using directory = new JobsDirectory([dueJob("asleep-0001")]);
  directory.leaveTempFile();
  await tickDirectory(directory.path, NOON);
  expect(directory.tempFiles()).toEqual([]);
});

/** The text that a whole tick makes of a job, given the lease id that it drew. */
function movedText(jobId: string, before: string, now: number, after: Job): string {
  const facts = {
    now,
    promisesMail: false,
    worker_id: String(after.event_receipts.at(-1)?.["worker_id"]),
    lease_id: leaseOf(after),
  };
  const planned = planJob(parseJob(before, jobId, jobId), { now, deliver: false, holds: [], pages: new Map() }, () => facts);
  return planned.kind === "planned" && planned.plan.moves ? formatJob(planned.plan.job, jobId) : before;
}

function leaseOf(job: Job): string {
  return job.lease?.lease_id ?? "";
}

/** How long a tick over so many jobs takes here: where to aim at first. */
async function usualTickMs(jobIds: readonly string[]): Promise<number> {
  using practice = new JobsDirectory(jobIds.map((jobId) => dueJob(jobId)));
  const startedAt = performance.now();
  await tickDirectory(practice.path, NOON);
  return performance.now() - startedAt;
}
