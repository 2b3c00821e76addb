import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { consumeDelivery, type Fleet } from "../../src/callback/index.ts";
import { openFleet } from "../../src/compose.ts";
import { formatJob } from "../../src/job/file/format-job.ts";
import type { Job } from "../../src/job/job.ts";
import type { Letter } from "../../src/mail/mailer.ts";
import { mailFor } from "../../src/mail/wake-mail.ts";
import { runTick } from "../../src/wake/run-tick.ts";
import { dueJob, CHAOS_BEGINS as NOON } from "../support/due-job.ts";
import type { Figure } from "./line.ts";

const ENV = { PATH: process.env["PATH"], HOME: "/nonexistent", GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
const IDENTITY = ["-c", "user.name=Bench", "-c", "user.email=bench@example.net", "-c", "gc.auto=0"];

/** A claim through a local bare remote in one process, against plain add, commit and push of one file in another clone. */
export async function claimAgainstPlainPush(claims = 40): Promise<Figure> {
  using scratch = new Scratch();
  const jobIds = idsOf(claims + 1);
  const remote = scratch.remote(jobIds.map((jobId) => dueJob(jobId)));
  const fleet = await wokenFleet(scratch.clone(remote), jobIds);
  const plain = scratch.clone(remote);
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
    using scratch = new Scratch();
    const jobIds = idsOf(count * claimsEach);
    const remote = scratch.remote(jobIds.map((jobId) => dueJob(jobId)));
    const { mails } = await wokenFleet(scratch.clone(remote), jobIds);
    const fleets = await Promise.all(Array.from({ length: count }, () => fleetAt(scratch.clone(remote))));
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
  using scratch = new Scratch();
  const jobIds = idsOf(jobs);
  const stride = Math.floor(jobs / due);
  const isDue = (i: number): boolean => i % stride === 0 && i < due * stride;
  const later = { next_wake_at: "2099-01-01T00:00:00Z" };
  const remote = scratch.remote(jobIds.map((jobId, i) => dueJob(jobId, isDue(i) ? {} : later)));
  const fleet = await fleetAt(scratch.clone(remote));
  const mailer = new NoMailer();
  const tickMs = await timed(async () => {
    const { wake_count, delivered_count } = await runTick({ ...fleet, mailer }, { workerId: "bench" });
    if (wake_count !== due || delivered_count !== due) throw new Error(`it woke ${wake_count} and mailed ${delivered_count}`);
  });
  const plain = scratch.clone(remote);
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

/** A mailer that costs nothing: what is measured is git. */
class NoMailer {
  async send(letters: readonly Letter[]) {
    return new Map(
      letters.map(
        ({ attempt_id }) => [attempt_id, { carrier: "MAIL", host: "https://ntfy.invalid/x", http_status: 200 } as const] as const,
      ),
    );
  }
}

function fleetAt(clone: string): Promise<Fleet> {
  return openFleet({ dir: clone, store: "git", now: NOON, env: ENV });
}

/** A fleet whose jobs are all woken, and their mails. */
async function wokenFleet(clone: string, jobIds: readonly string[]) {
  const fleet = await fleetAt(clone);
  await runTick({ ...fleet, mailer: new NoMailer() }, { workerId: "bench" });
  const mails = new Map<string, unknown>();
  for (const { job } of await fleet.store.scan()) if (job !== undefined) mails.set(job.job_id, mailFor(job));
  if (mails.size !== jobIds.length) throw new Error(`${mails.size} of ${jobIds.length} jobs were woken`);
  return { fleet, mails };
}

class Scratch {
  readonly #directory = mkdtempSync(join(tmpdir(), "harness-wake-bench-git-"));
  #clones = 0;

  remote(jobs: readonly Job[]): string {
    const remote = join(this.#directory, "remote.git");
    const work = join(this.#directory, "work");
    git(this.#directory, "init", "-q", "--bare", "-b", "main", remote);
    git(this.#directory, "clone", "-q", remote, work);
    mkdirSync(join(work, "wake_jobs"));
    for (const job of jobs) writeFileSync(join(work, `wake_jobs/${job.job_id}.json`), formatJob(job, job.job_id));
    git(work, "add", "-A");
    git(work, "commit", "-q", "-m", "jobs");
    git(work, "push", "-q", "origin", "HEAD:main");
    return remote;
  }

  clone(remote: string): string {
    const clone = join(this.#directory, `clone-${this.#clones++}`);
    git(this.#directory, "clone", "-q", `file://${remote}`, clone);
    return clone;
  }

  [Symbol.dispose](): void {
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

function git(directory: string, ...args: readonly string[]): void {
  execFileSync("git", [...IDENTITY, ...args], { cwd: directory, env: ENV, stdio: ["ignore", "ignore", "pipe"] });
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
