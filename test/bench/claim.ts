import { closeSync, copyFileSync, fsync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { consumeDelivery } from "../../src/callback/consume-delivery.ts";
import { clockAt } from "../../src/facts/clock.ts";
import { randomIds } from "../../src/facts/ids.ts";
import type { Fleet } from "../../src/fleet.ts";
import { formatJob } from "../../src/job/file/format-job.ts";
import { mailFor, type WakeMail } from "../../src/mail/wake-mail.ts";
import { FileJobStore } from "../../src/store/file-job-store.ts";
import { runTick } from "../../src/wake/run-tick.ts";
import { dueJob } from "../support/due-job.ts";
import { FakePages } from "../support/fake-pages.ts";
import { noHolds } from "../support/no-holds.ts";
import { NOON } from "../support/noon.ts";
import type { Figure } from "./line.ts";

/** How many claims are measured, each of a job of its own, and how many before that are not. */
const CLAIMS = 300;
const WARM_UP = 50;

/**
 * A claim that nobody contends for, in one long-lived process over the file store, against one durable write (temp file,
 * fsync, rename) of the same bytes in the same process. They take turns, so that a disk that slows down slows both.
 */
export async function claimUncontended(scratch: string): Promise<Figure> {
  const { jobs, copies } = { jobs: join(scratch, "claim/wake_jobs"), copies: join(scratch, "claim/copies") };
  for (const directory of [jobs, copies]) mkdirSync(directory, { recursive: true });
  const mails = await wokenMails(fleetAt(jobs, NOON), jobs);
  const fleet = fleetAt(jobs, NOON + 60);
  const [claims, writes, flushed]: [number[], number[], number[]] = [[], [], []];
  for (const [i, mail] of mails.entries()) {
    // A claim replaces a file, which takes a file system longer than naming a new one: so does the write beside it.
    copyFileSync(join(jobs, `${mail.job_id}.json`), join(copies, `${mail.job_id}.json`));
    flushNow(join(copies, `${mail.job_id}.json`));
    const claimMs = await msOf(() => claim(fleet, mail));
    const text = readFileSync(join(jobs, `${mail.job_id}.json`), "utf8");
    const writeMs = await msOf(() => writeDurably(join(copies, `${mail.job_id}.json`), text));
    const flushMs = await msOf(async () => flushNow(copies));
    if (i < WARM_UP) continue;
    claims.push(claimMs);
    writes.push(writeMs);
    flushed.push(writeMs + flushMs);
  }
  const [claimMs, writeMs, flushedMs] = [claims, writes, flushed].map(median) as [number, number, number];
  return {
    name: "a claim, uncontended, in one process, against one durable write",
    ratio: claimMs / writeMs,
    limit: 5,
    detail: `claim ${claimMs.toFixed(2)} ms, durable write ${writeMs.toFixed(2)} ms (with its directory flushed, as a claim does, ${flushedMs.toFixed(2)} ms); medians of ${CLAIMS}`,
  };
}

function fleetAt(directory: string, now: number): Fleet {
  const clock = clockAt(now);
  const store = new FileJobStore({ directory, clock });
  return { store, pages: new FakePages(), holds: noHolds, clock, ids: randomIds };
}

/** Due jobs that a tick has woken, and the mails that it would send. */
async function wokenMails(fleet: Fleet, directory: string): Promise<WakeMail[]> {
  for (let i = 0; i < CLAIMS + WARM_UP; i++) {
    const job = dueJob(`bench-claim-${String(i).padStart(4, "0")}`);
    writeFileSync(join(directory, `${job.job_id}.json`), formatJob(job, job.job_id));
  }
  await runTick(fleet, { workerId: "watchdog" });
  return [...(await fleet.store.scan())].flatMap(({ job }) => (job && mailFor(job)) ?? []);
}

async function claim(fleet: Fleet, mail: WakeMail): Promise<void> {
  const { state } = await consumeDelivery(fleet, mail, { workerId: "worker-one" });
  // A claim that claims nothing is quick, and proves nothing.
  if (state !== "CLAIMED") throw new Error(`the claim of ${mail.attempt_id} was answered ${state}`);
}

const flush = promisify(fsync);

async function writeDurably(path: string, text: string): Promise<void> {
  const temp = `${path}.tmp`;
  const descriptor = openSync(temp, "wx");
  writeFileSync(descriptor, text);
  await flush(descriptor);
  closeSync(descriptor);
  renameSync(temp, path);
}

function flushNow(path: string): void {
  const descriptor = openSync(path, "r");
  fsyncSync(descriptor);
  closeSync(descriptor);
}

async function msOf(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
