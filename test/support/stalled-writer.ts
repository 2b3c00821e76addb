import { existsSync } from "node:fs";
import { basename } from "node:path";
import type { Clock } from "../../src/facts/clock.ts";
import { systemClock } from "../../src/facts/clock.ts";
import type { Json } from "../../src/json/json.ts";
import { isTempName } from "../../src/store/atomic-write.ts";
import { type Disk, nodeDisk } from "../../src/store/disk.ts";
import { FileJobStore } from "../../src/store/file-job-store.ts";

/**
 * Raises a job's `step` by one, and stands still on the way: at the named call of the disk its whole event loop is blocked
 * until a file appears. It shows no life meanwhile, so it looks dead. Says at the end which steps it decided on.
 */
const [directory = "", jobId = "", callName = "", goOnFile = ""] = process.argv.slice(2);

export type StalledMessage = "stalled" | "queues again" | { readonly seen: readonly Json[]; readonly error?: string };

let hasCreated = false;
let hasStalled = false;

function standStill(): void {
  hasStalled = true;
  say("stalled");
  const cell = new Int32Array(new SharedArrayBuffer(4));
  while (!existsSync(goOnFile)) Atomics.wait(cell, 0, 0, 5);
}

const disk: Disk = new Proxy(nodeDisk, {
  get: (target, name: keyof Disk) => {
    const call: unknown = Reflect.get(target, name);
    if (typeof call !== "function") return call;
    return (...args: unknown[]) => {
      // What is read before the write is made leads to the decision; what is read after it is the last look.
      const isCreating = name === "create" && isTempName(basename(String(args[0])));
      const isOnTheWay = hasCreated || isCreating;
      if (name === callName && isOnTheWay && !hasStalled) standStill();
      hasCreated ||= isCreating;
      return Reflect.apply(call, target, args);
    };
  },
});

const clock: Clock = {
  now: systemClock.now,
  monotonic: () => {
    if (hasStalled) say("queues again");
    return systemClock.monotonic();
  },
};

const seen: Json[] = [];
const outcomes = await new FileJobStore({ directory, clock, disk }).transact([jobId], ({ job }) => {
  if (job === undefined) throw new Error(`${jobId} is gone`);
  const step = job.checkpoint["step"] ?? null;
  seen.push(step);
  return { answer: step, write: { job: { ...job, checkpoint: { ...job.checkpoint, step: Number(step) + 1 } }, note: "raise" } };
});
const error = outcomes.get(jobId)?.error?.message;
say({ seen, ...(error !== undefined && { error }) });
process.disconnect();

function say(message: StalledMessage): void {
  process.send?.(message);
}
