import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { systemClock } from "../../src/facts/clock.ts";
import { parseJob } from "../../src/job/file/parse-job.ts";
import { withDirectoryLock } from "../../src/store/directory-lock.ts";
import type { Row, TickSummary } from "../../src/wake/summary.ts";
import { dueJob } from "../support/due-job.ts";
import { type FailingCall, failingDisk } from "../support/failing-disk.ts";
import { JobsDirectory } from "../support/jobs-directory.ts";
import { NOON } from "../support/noon.ts";
import { SmallDisk } from "../support/small-disk.ts";
import { tickDirectory } from "../support/tick-directory.ts";

const VICTIM = "victim-00001";
const OTHERS = ["another-0001", "witness-0001"];

describe("a disk that refuses one job's write", () => {
  it.each<[string, string, FailingCall, string]>([
    ["is full", "ENOSPC", "create", "free some space"],
    ["has no quota left", "EDQUOT", "create", "free some space"],
    ["turns out to be full at the flush", "ENOSPC", "flush", "free some space"],
    ["fails at the flush", "EIO", "flush", "the file system refused"],
    ["fails at the close", "EIO", "close", "the file system refused"],
    ["is full at the rename", "ENOSPC", "rename", "free some space"],
    ["was made read-only", "EROFS", "rename", "read-only"],
  ])(
    "which %s: %s is an ERROR row that says what to do, the others are written, nothing is lost",
    async (_, errno, call, remedy) => {
      using directory = fleet();
      const before = directory.texts();
      const disk = failingDisk((tried, what) => (tried === call && what.includes(VICTIM) ? errno : undefined));

      const summary = await tickDirectory(directory.path, NOON, { disk });

      expect(summary.ok).toBe(false);
      const row = rowOf(summary, VICTIM);
      expect(row).toMatchObject({ action: "ERROR", reason: "IO", invoke_model: false, error: { code: "IO" } });
      expect(row?.error?.file).toBe(`wake_jobs/${VICTIM}.json`);
      expect(row?.error?.message).toContain(errno);
      expect(row?.error?.message).toContain(remedy);
      expect(row?.error?.message).toContain("The file is as it was");
      expect(directory.texts().get(VICTIM)).toBe(before.get(VICTIM));
      for (const jobId of OTHERS) expect(rowOf(summary, jobId)).toMatchObject({ action: "WAKE", attempt_id: `${jobId}-a01` });
      expect(directory.tempFiles()).toEqual([]);

      await expectHealedTick(directory);
    },
  );
});

describe("a disk that cannot even remove what was half written", () => {
  it("keeps a temp file until the next tick sweeps it away", async () => {
    using directory = fleet();
    const disk = failingDisk((call, what) => {
      if (call === "remove") return "EIO";
      return call === "create" && what.includes(VICTIM) ? "ENOSPC" : undefined;
    });
    const summary = await tickDirectory(directory.path, NOON, { disk });
    expect(rowOf(summary, VICTIM)?.reason).toBe("IO");
    expect(directory.tempFiles()).toHaveLength(1);

    await expectHealedTick(directory);
  });
});

describe("a disk that cannot flush the directory", () => {
  it("makes an ERROR row of each job that it wrote, since a power cut may undo it; the other rows stay", async () => {
    using directory = fleet();
    directory.write(dueJob("asleep-00001", { next_wake_at: "2098-01-01T00:00:00Z" }));
    writeFileSync(directory.fileOf("broken-00001"), "{");
    const disk = failingDisk((call) => (call === "flushDirectory" ? "EIO" : undefined));

    const summary = await tickDirectory(directory.path, NOON, { disk });

    for (const jobId of [VICTIM, ...OTHERS]) {
      const row = rowOf(summary, jobId);
      expect(row).toMatchObject({ action: "ERROR", reason: "IO", invoke_model: false });
      expect(row?.error?.message).toContain("EIO");
      expect(row?.error?.message).not.toContain("The file is as it was");
    }
    expect(rowOf(summary, "asleep-00001")?.reason).toBe("NOT_DUE");
    expect(summary.jobs.map((row) => row.reason)).toContain("CORRUPT");
  });

  it.each(["EINVAL", "EISDIR", "EPERM"])("because it has no such thing (%s) is no fault", async (errno) => {
    using directory = fleet();
    const disk = failingDisk((call) => (call === "flushDirectory" ? errno : undefined));
    expect(await tickDirectory(directory.path, NOON, { disk })).toMatchObject({ ok: true, wake_count: 3 });
  });
});

describe.runIf(SmallDisk.isPossible)("a real disk that is full", () => {
  it.each([0, 3])(
    "with %i pages left loses nothing: what cannot be written is as it was, and is woken when there is space",
    async (pagesLeft) => {
      using disk = new SmallDisk(160);
      const path = join(disk.path, "wake_jobs");
      mkdirSync(path);
      const jobIds = Array.from({ length: 24 }, (_, i) => `crowded-${String(i).padStart(4, "0")}`);
      // Their files grow past a page when they move: a rename alone would not do.
      using directory = new JobsDirectory(
        jobIds.map((jobId) => dueJob(jobId, { checkpoint: { notes: "x".repeat(3_000) } })),
        path,
      );
      const before = directory.texts();
      await withDirectoryLock(path, { clock: systemClock }, async () => undefined);
      disk.fillUpTo(pagesLeft);

      const crowded = await tickDirectory(path, NOON);

      const failed = crowded.jobs.filter((row) => row.action === "ERROR");
      const woken = crowded.jobs.filter((row) => row.invoke_model);
      expect(failed.length + woken.length).toBe(jobIds.length);
      expect(failed.length).toBeGreaterThan(0);
      if (pagesLeft === 0) expect(woken).toEqual([]);
      for (const row of failed) {
        expect(row.reason).toBe("IO");
        expect(row.error?.message).toContain("free some space");
        expect(directory.texts().get(row.job_id ?? "")).toBe(before.get(row.job_id ?? ""));
      }
      for (const row of woken) expect(directory.job(row.job_id ?? "").attempt_count).toBe(1);

      disk.empty();
      const roomy = await tickDirectory(path, NOON);

      expect(roomy.jobs.filter((row) => row.invoke_model).map((row) => row.job_id)).toEqual(failed.map((row) => row.job_id));
      for (const jobId of jobIds) expect(directory.job(jobId).attempt_count).toBe(1);
      expect(directory.tempFiles()).toEqual([]);
    },
  );
});

it.runIf(SmallDisk.isPossible)("a real disk that is full before anyone locked it is told, with what to do", async () => {
  using disk = new SmallDisk(8);
  const path = join(disk.path, "wake_jobs");
  mkdirSync(path);
  using directory = new JobsDirectory([dueJob(VICTIM)], path);
  const before = directory.texts();
  disk.fillUpTo(0);
  const tick = tickDirectory(path, NOON);
  await expect(tick).rejects.toMatchObject({ code: "LOCK_UNAVAILABLE", message: expect.stringContaining("free some space") });
  expect(directory.texts()).toEqual(before);

  disk.empty();
  expect(await tickDirectory(path, NOON)).toMatchObject({ wake_count: 1 });
  expect(readdirSync(path).sort()).toEqual([".lock.d", `${VICTIM}.json`]);
});

function fleet(): JobsDirectory {
  return new JobsDirectory([VICTIM, ...OTHERS].map((jobId) => dueJob(jobId)));
}

/** The disk is well again: the victim is woken for the first time, the others are left alone, nothing lies around. */
async function expectHealedTick(directory: JobsDirectory): Promise<void> {
  const summary = await tickDirectory(directory.path, NOON);
  expect(rowOf(summary, VICTIM)).toMatchObject({ action: "WAKE", attempt_id: `${VICTIM}-a01` });
  for (const jobId of OTHERS) expect(rowOf(summary, jobId)?.reason).toBe("LEASE_HELD");
  for (const [jobId, text] of directory.texts()) expect(parseJob(text, jobId, jobId).attempt_count).toBe(1);
  expect(directory.tempFiles()).toEqual([]);
}

function rowOf(summary: TickSummary, jobId: string): Row | undefined {
  return summary.jobs.find((row) => row.job_id === jobId);
}
