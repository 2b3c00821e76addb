import { closeSync, copyFileSync, fsync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { consumeDelivery } from "../../../src/callback/consume-delivery.ts";
import { clockAt } from "../../../src/facts/clock.ts";
import { randomIds } from "../../../src/facts/ids.ts";
import type { Fleet } from "../../../src/fleet.ts";
import { formatJob } from "../../../src/job/file/format-job.ts";
import { mailFor, type WakeMail } from "../../../src/mail/wake-mail.ts";
import { FileJobStore } from "../../../src/store/file-job-store.ts";
import { runTick } from "../../../src/wake/run-tick.ts";
import { dueJob } from "../../support/due-job.ts";
import { FakePages } from "../../support/fake-pages.ts";
import { noHolds } from "../../support/no-holds.ts";
import { NOON } from "../../support/noon.ts";
import { jobIds } from "../bench-jobs.ts";
import type { Measurement } from "../line.ts";
import { milliseconds } from "../machine.ts";
import { median } from "../median.ts";
import { timed } from "../timed.ts";

/** How many claims are measured, each of a job of its own, and how many before that are not. */
const CLAIMS = 300;
const WARM_UP = 50;

/**
 * A claim that nobody contends for, in one long-lived process over the file store, against one durable write (temp file,
 * fsync, rename) of the same bytes in the same process. They take turns, so that a disk that slows down slows both.
 */
export const measurement: Measurement = {
  name: "claim",
  async measure(machine, { thoroughness }) {
    const fleet = machine.repository("claimed");
    const [jobs, copies] = [join(fleet, "wake_jobs"), join(fleet, "copies")];
    for (const directory of [jobs, copies]) mkdirSync(directory);
    const warmUp = Math.ceil(WARM_UP * thoroughness);
    const mails = await wokenMails(jobs, warmUp + Math.ceil(CLAIMS * thoroughness));
    const harness = fleetAt(jobs, NOON + 60);
    const [claims, writes]: [number[], number[]] = [[], []];
    for (const mail of mails) {
      const [file, copy] = [join(jobs, `${mail.job_id}.json`), join(copies, `${mail.job_id}.json`)];
      // A claim replaces a file, which takes a file system longer than naming a new one: so does the write beside it.
      copyFileSync(file, copy);
      flushNow(copy);
      claims.push(await timed(() => claim(harness, mail)));
      const text = readFileSync(file, "utf8");
      writes.push(await timed(() => writeDurably(copy, text)));
      // What a claim leaves behind for the disk is not for the next one to pay.
      flushNow(copies);
    }
    const [claimMs, writeMs] = [median(claims.slice(warmUp)), median(writes.slice(warmUp))];
    return [
      {
        title: "claim that nobody contends for / one durable write",
        measured: milliseconds(claimMs),
        floor: milliseconds(writeMs),
        ratio: claimMs / writeMs,
        limit: 4,
      },
    ];
  },
};

function fleetAt(directory: string, now: number): Fleet {
  const clock = clockAt(now);
  const store = new FileJobStore({ directory, clock });
  return { store, pages: new FakePages(), holds: noHolds, clock, ids: randomIds };
}

/** Due jobs that a tick has woken, and the mails that it would send. */
async function wokenMails(directory: string, count: number): Promise<WakeMail[]> {
  for (const jobId of jobIds(count)) writeFileSync(join(directory, `${jobId}.json`), formatJob(dueJob(jobId), jobId));
  const fleet = fleetAt(directory, NOON);
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
