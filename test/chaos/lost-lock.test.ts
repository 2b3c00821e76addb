import { once } from "node:events";
import { readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { describe, expect, it } from "vitest";
import { systemClock } from "../../src/facts/clock.ts";
import type { Job } from "../../src/job/job.ts";
import { withDirectoryLock } from "../../src/store/directory-lock.ts";
import { type Disk, nodeDisk } from "../../src/store/disk.ts";
import { FileJobStore } from "../../src/store/file-job-store.ts";
import { type Step, transactOne } from "../../src/store/job-store.ts";
import { isBaton } from "../../src/store/lock/baton.ts";
import { dueJob } from "../support/due-job.ts";
import { ForkedProgram } from "../support/forked-program.ts";
import { JobsDirectory } from "../support/jobs-directory.ts";
import { NOON } from "../support/noon.ts";
import type { StalledMessage } from "../support/stalled-writer.ts";
import { tickDirectory } from "../support/tick-directory.ts";

const JOB = "stolen-lock-0001";

describe("a holder that dies", () => {
  it("delays the next by seconds, not more", async () => {
    using directory = new JobsDirectory([dueJob(JOB)]);
    await killHolderOf(directory);
    const summary = await tickDirectory(directory.path, NOON);
    expect(summary.wake_count).toBe(1);
  });

  it("as a thread whose process lives on delays the next no longer", async () => {
    using directory = new JobsDirectory([dueJob(JOB)]);
    const thread = new Worker(new URL("../support/lock-holder.ts", import.meta.url), { argv: [directory.path] });
    await once(thread, "message");
    await thread.terminate();
    expect(directory.isLocked()).toBe(true);
    const summary = await tickDirectory(directory.path, NOON);
    expect(summary.wake_count).toBe(1);
  });
});

describe("a holder that stood still until it was taken for dead", () => {
  it.each(["create", "flush", "close", "read", "rename"] satisfies (keyof Disk)[])(
    "does not undo what others wrote meanwhile, though it stood before its %s: it decides again on what they wrote",
    async (call) => {
      using directory = new JobsDirectory([dueJob(JOB, { checkpoint: { step: 10 } })]);
      await using victim = stall(directory, call);
      expect(await victim.hear()).toBe("stalled");

      directory.takeLockForDead();
      await transactOne(storeOf(directory), JOB, raiseBy(5));
      expect(directory.job(JOB).checkpoint).toEqual({ step: 15 });
      goOn(directory);

      expect(await victim.hear()).toBe("queues again");
      expect(await lastWord(victim)).toEqual({ seen: [10, 15] });
      expect(directory.job(JOB).checkpoint).toEqual({ step: 16 });
      expect(directory.tempFiles()).toEqual([]);
      await victim.over();
      expect(directory.isLocked()).toBe(false);
    },
  );

  it("does not free the lock of the one that took it over", async () => {
    using directory = new JobsDirectory([dueJob(JOB, { checkpoint: { step: 10 } })]);
    await using victim = stall(directory, "flush");
    expect(await victim.hear()).toBe("stalled");

    directory.takeLockForDead();
    await withDirectoryLock(directory.path, { clock: systemClock }, async (lock) => {
      goOn(directory);
      expect(await victim.hear()).toBe("queues again");
      expect(directory.isLocked()).toBe(true);
      expect(lock.isStillHeld()).toBe(true);
      expect(directory.job(JOB).checkpoint).toEqual({ step: 10 });
    });

    expect(await lastWord(victim)).toEqual({ seen: [10, 10] });
    expect(directory.job(JOB).checkpoint).toEqual({ step: 11 });
  });
});

describe("a holder that cannot show that it holds the lock", () => {
  it.each<[string, (directory: JobsDirectory) => void]>([
    ["its baton is removed", ({ lock }) => removeFiles(lock, isBaton)],
    ["the lock's directory is removed", ({ lock }) => rmSync(lock, { recursive: true })],
    ["the lock's directory is moved away", ({ lock }) => renameSync(lock, `${lock}.old`)],
    ["the lock's directory is emptied", ({ lock }) => removeFiles(lock, () => true)],
  ])("writes nothing blind, and goes on within seconds, when %s", async (_, sweep) => {
    using directory = new JobsDirectory([dueJob(JOB, { checkpoint: { step: 10 } })]);
    let flushes = 0;
    const disk: Disk = {
      ...nodeDisk,
      flush: async (descriptor) => {
        await nodeDisk.flush(descriptor);
        // The first two belong to the lock's own files.
        if (++flushes === 3) sweep(directory);
      },
    };
    const seen: unknown[] = [];
    await transactOne(storeOf(directory, disk), JOB, ({ job }) => {
      seen.push(job?.checkpoint);
      return raiseBy(1)({ job });
    });
    expect(seen).toEqual([{ step: 10 }, { step: 10 }]);
    expect(directory.job(JOB).checkpoint).toEqual({ step: 11 });
    expect(directory.isLocked()).toBe(false);
  });

  it("leaves another's write alone that it finds in its last look, and decides again on it", async () => {
    using directory = new JobsDirectory([dueJob(JOB, { checkpoint: { step: 10 } })]);
    let edits = 0;
    const disk: Disk = {
      ...nodeDisk,
      flush: async (descriptor) => {
        await nodeDisk.flush(descriptor);
        // An editor, or a git pull: something that knows nothing of locks.
        if (edits++ === 0) directory.write({ ...directory.job(JOB), checkpoint: { step: 20 } });
      },
    };
    await transactOne(storeOf(directory, disk), JOB, raiseBy(1));
    expect(directory.job(JOB).checkpoint).toEqual({ step: 21 });
  });

  it("gives up with CONFLICT, and changes nothing, when others keep writing the file", async () => {
    using directory = new JobsDirectory([dueJob(JOB)]);
    let edits = 0;
    const disk: Disk = {
      ...nodeDisk,
      flush: async () => directory.write({ ...directory.job(JOB), checkpoint: { step: 0, edit: ++edits } }),
    };
    const raise = transactOne(storeOf(directory, disk), JOB, raiseBy(1));
    await expect(raise).rejects.toMatchObject({ code: "CONFLICT", message: expect.stringContaining("try again") });
    expect(directory.job(JOB).checkpoint).toEqual({ step: 0, edit: edits });
    expect(directory.tempFiles()).toEqual([]);
  });
});

function removeFiles(directory: string, isChosen: (name: string) => boolean): void {
  for (const name of readdirSync(directory).filter(isChosen)) rmSync(join(directory, name));
}

async function killHolderOf(directory: JobsDirectory): Promise<void> {
  await using holder = new ForkedProgram<string>("./lock-holder.ts", directory.path);
  expect(await holder.hear()).toBe("held");
  await holder.kill();
  expect(directory.isLocked()).toBe(true);
}

function stall(directory: JobsDirectory, call: string): ForkedProgram<StalledMessage> {
  return new ForkedProgram<StalledMessage>("./stalled-writer.ts", directory.path, JOB, call, goOnFileOf(directory));
}

function goOn(directory: JobsDirectory): void {
  writeFileSync(goOnFileOf(directory), "");
}

function goOnFileOf(directory: JobsDirectory): string {
  return join(directory.path, "_go-on");
}

async function lastWord(victim: ForkedProgram<StalledMessage>): Promise<StalledMessage | undefined> {
  for (;;) {
    const message = await victim.hear();
    if (message !== "queues again") return message;
  }
}

function storeOf(directory: JobsDirectory, disk: Disk = nodeDisk): FileJobStore {
  return new FileJobStore({ directory: directory.path, clock: systemClock, disk });
}

function raiseBy(more: number): (found: { readonly job: Job | undefined }) => Step<"raised"> {
  return ({ job }) => {
    if (job === undefined) throw new Error(`${JOB} is gone`);
    const step = Number(job.checkpoint["step"]) + more;
    return { answer: "raised", write: { job: { ...job, checkpoint: { ...job.checkpoint, step } }, note: "raise" } };
  };
}
