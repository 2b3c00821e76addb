import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { consumeDelivery, type Fleet } from "../../src/callback/index.ts";
import { openFleet } from "../../src/compose.ts";
import { mailFor } from "../../src/mail/wake-mail.ts";
import { runTick } from "../../src/wake/run-tick.ts";
import { dueJob } from "../support/due-job.ts";
import { FakeMailer } from "../support/fake-mailer.ts";
import { GIT_ENV, git } from "../support/git.ts";
import { GitRemote, jobFiles } from "../support/git-remote.ts";
import { NOON } from "../support/noon.ts";
import type { Figure } from "./line.ts";

/** A claim through a local bare remote in one process, against plain add, commit and push of one file in another clone. */
export async function claimAgainstPlainPush(claims = 40): Promise<Figure> {
  const jobIds = idsOf(claims + 1);
  const remote = new GitRemote(jobFiles(jobIds.map((jobId) => dueJob(jobId))));
  const fleet = await wokenFleet(remote.clone(), jobIds);
  const plain = remote.clone();
  const claim = async (jobId: string): Promise<void> => {
    const answer = await consumeDelivery(fleet.fleet, fleet.mails.get(jobId), { workerId: "bench" });
    if (answer.state !== "CLAIMED") throw new Error(`the claim of ${jobId} was answered ${answer.state}`);
  };
  const push = (n: number): void => {
    writeFileSync(join(plain, "note.md"), `${n}\n`);
    git(plain, "add", "note.md");
    git(plain, "commit", "-q", "-m", `note ${n}`);
    git(plain, "push", "-q", "origin", "HEAD:plain");
  };
  await claim(jobIds[claims] ?? "");
  push(-1);
  const claimTimes: number[] = [];
  const pushTimes: number[] = [];
  // In turn, so that a machine that slows down slows both.
  for (const [n, jobId] of jobIds.slice(0, claims).entries()) {
    claimTimes.push(await timed(() => claim(jobId)));
    pushTimes.push(await timed(() => push(n)));
  }
  const [claimMs, pushMs] = [median(claimTimes), median(pushTimes)];
  return {
    name: "claim through a local bare git remote / git add, commit, push of one file",
    ratio: claimMs / pushMs,
    limit: 2,
    detail: `${claimMs.toFixed(1)} ms / ${pushMs.toFixed(1)} ms, medians of ${claims}`,
  };
}

/** Claims a second of so many clones at once, each with jobs of its own, against one clone alone. */
export async function claimsASecond(clones: readonly number[] = [1, 2, 4, 8], claimsEach = 10): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  let alone = 0;
  for (const count of clones) {
    const jobIds = idsOf(count * claimsEach);
    const remote = new GitRemote(jobFiles(jobIds.map((jobId) => dueJob(jobId))));
    const { mails } = await wokenFleet(remote.clone(), jobIds);
    const fleets = await Promise.all(Array.from({ length: count }, () => fleetAt(remote.clone())));
    const tookMs = await timed(() =>
      Promise.all(
        fleets.map(async (fleet, i) => {
          for (const jobId of jobIds.slice(i * claimsEach, (i + 1) * claimsEach)) {
            const answer = await consumeDelivery(fleet, mails.get(jobId), { workerId: `clone-${i}` });
            if (answer.state !== "CLAIMED") throw new Error(`the claim of ${jobId} was answered ${answer.state}`);
          }
        }),
      ),
    );
    const rate = (jobIds.length * 1000) / tookMs;
    if (alone === 0) alone = rate;
    figures.push({
      name: `claims a second, ${count} clones / ${clones[0]}`,
      ratio: rate / alone,
      detail: `${rate.toFixed(1)} a second: ${jobIds.length} claims in ${Math.round(tookMs)} ms`,
    });
  }
  return figures;
}

/** One landed, mailing tick over many jobs of which some are due, against writing, committing and pushing as many files by hand. */
export async function landedTick(jobs = 10_000, due = 100): Promise<Figure> {
  const jobIds = idsOf(jobs);
  const stride = Math.floor(jobs / due);
  const isDue = (i: number): boolean => i % stride === 0 && i < due * stride;
  const later = { next_wake_at: "2099-01-01T00:00:00Z" };
  const remote = new GitRemote(jobFiles(jobIds.map((jobId, i) => dueJob(jobId, isDue(i) ? {} : later))));
  const fleet = await fleetAt(remote.clone());
  const mailer = new FakeMailer();
  const tickMs = await timed(async () => {
    const { wake_count, delivered_count } = await runTick({ ...fleet, mailer }, { workerId: "bench" });
    if (wake_count !== due || delivered_count !== due) throw new Error(`it woke ${wake_count} and mailed ${delivered_count}`);
  });
  const plain = remote.clone();
  const plainMs = await timed(() => {
    for (const round of [1, 2]) {
      for (const jobId of jobIds.filter((_, i) => isDue(i))) writeFileSync(join(plain, `wake_jobs/${jobId}.json`), `${round}\n`);
      git(plain, "add", "wake_jobs");
      git(plain, "commit", "-q", "-m", `round ${round}`);
      git(plain, "push", "-q", "origin", "HEAD:plain");
    }
  });
  return {
    name: `one landed tick over ${jobs} jobs, ${due} of them woken and mailed / twice git add, commit, push of ${due} files`,
    ratio: tickMs / plainMs,
    detail: `${Math.round(tickMs)} ms / ${Math.round(plainMs)} ms`,
  };
}

function idsOf(count: number): readonly string[] {
  return Array.from({ length: count }, (_, i) => `bench-job-${String(i).padStart(6, "0")}`);
}

function fleetAt(clone: string): Promise<Fleet> {
  return openFleet({ dir: clone, store: "git", now: NOON, env: GIT_ENV });
}

/** A fleet whose jobs are all woken, and their mails. */
async function wokenFleet(clone: string, jobIds: readonly string[]) {
  const fleet = await fleetAt(clone);
  await runTick({ ...fleet, mailer: new FakeMailer() }, { workerId: "bench" });
  const mails = new Map<string, unknown>();
  for (const { job } of await fleet.store.scan()) if (job !== undefined) mails.set(job.job_id, mailFor(job));
  if (mails.size !== jobIds.length) throw new Error(`${mails.size} of ${jobIds.length} jobs were woken`);
  return { fleet, mails };
}

async function timed(act: () => unknown): Promise<number> {
  const startedAt = performance.now();
  await act();
  return performance.now() - startedAt;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return ((sorted[(sorted.length - 1) >> 1] ?? Number.NaN) + (sorted[sorted.length >> 1] ?? Number.NaN)) / 2;
}
