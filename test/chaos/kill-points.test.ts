import { describe, expect, it } from "vitest";
import { parseJob } from "../../src/job/file/parse-job.ts";
import type { TickSummary } from "../../src/wake/summary.ts";
import { EVERY_VERDICT, jobsForEveryDecision, tickEveryDecision } from "../support/every-decision.ts";
import { ForkedProgram } from "../support/forked-program.ts";
import { JobsDirectory } from "../support/jobs-directory.ts";
import { Crash, KillPoints, type Moment } from "../support/kill-points.ts";
import { swiftDisk } from "../support/swift-disk.ts";
import { CHAOS_TIMEOUT_MS, COUNTS } from "./counts.ts";

const MOMENTS: readonly Moment[] = ["before", "after"];

describe("a tick that dies at a call of one of its ports", { timeout: CHAOS_TIMEOUT_MS }, () => {
  it("takes every decision that writes and makes every call, when it lives", async () => {
    using directory = freshDirectory();
    const points = immortal();
    const summary = await tickEveryDecision(directory.path, { points });
    expect(Object.fromEntries(summary.jobs.map((row) => [row.job_id, `${row.action} ${row.reason}`]))).toEqual(EVERY_VERDICT);
    expect([...points.called].sort()).toEqual(EVERY_CALL);
  });

  it("leaves each job wholly before or wholly after, and the next tick finishes its work: at every call, by an exception", async () => {
    const life = await wholeLife();
    for (const moment of MOMENTS) {
      for (let point = 1; point <= life.calls; point++) {
        await dieAndCheck(life, `${moment} call ${point} of ${life.calls}`, async (directory) => {
          const points = new KillPoints(point, moment, () => {
            throw new Crash();
          });
          using disk = swiftDisk();
          // Whatever it still says on its way out, a dead process would not have said.
          await tickEveryDecision(directory.path, { points, disk }).catch((error: unknown) => {
            if (!points.isDead) throw error;
          });
          expect(points.isDead, "died").toBe(true);
        });
      }
    }
  });

  it("leaves each job wholly before or wholly after, and the next tick finishes its work: by SIGKILL", async () => {
    const life = await wholeLife();
    const deaths = MOMENTS.flatMap((moment) => Array.from({ length: life.calls }, (_, i) => ({ moment, point: i + 1 })));
    const chosen = deaths.filter((_, i) => i % COUNTS.realDeathEvery === 0).values();
    const lane = async (): Promise<void> => {
      for (const { moment, point } of chosen) {
        await dieAndCheck(life, `${moment} call ${point} of ${life.calls}`, async (directory) => {
          await using mortal = new ForkedProgram<string>("./mortal-ticker.ts", directory.path, String(point), moment);
          expect(await mortal.hear(), "its last words").toBeUndefined();
          expect(await mortal.over(), "died of").toBe("SIGKILL");
        });
      }
    };
    await Promise.all([lane(), lane()]);
  });
});

/** What a tick asks of its ports. Each time that it does is a point to die at. */
const EVERY_CALL = [
  ...["atHead", "close", "create", "flush", "flushDirectory", "giveDirectoryAccess", "leaseId", "list", "monotonic", "now"],
  ...["read", "remove", "rename", "scan", "send", "stat", "statDirectory", "states", "transact"],
];

function immortal(): KillPoints {
  return new KillPoints(Number.POSITIVE_INFINITY, "before", () => {
    throw new Crash();
  });
}

/** Also with something of a dead writer's to sweep away. */
function freshDirectory(): JobsDirectory {
  const directory = new JobsDirectory(jobsForEveryDecision());
  directory.leaveTempFile();
  return directory;
}

interface Life {
  readonly calls: number;
  readonly before: ReadonlyMap<string, string>;
  /** But for the lease ids. */
  readonly after: ReadonlyMap<string, string>;
}

/** A tick that does not die: how many calls it makes, and what it leaves. */
async function wholeLife(): Promise<Life> {
  using directory = freshDirectory();
  const before = directory.texts();
  const points = immortal();
  await tickEveryDecision(directory.path, { points });
  return { calls: points.calls, before, after: withoutLeaseIds(directory.texts()) };
}

async function dieAndCheck(life: Life, death: string, die: (directory: JobsDirectory) => Promise<void>): Promise<void> {
  using directory = freshDirectory();
  await die(directory);

  const survived = directory.texts();
  expect([...survived.keys()], death).toEqual([...life.before.keys()]);
  const written = [...withoutLeaseIds(survived)].filter(([jobId, text]) => {
    parseJob(text, jobId, jobId);
    if (text === life.before.get(jobId)) return false;
    expect(text, `${jobId}, ${death}`).toBe(life.after.get(jobId));
    return true;
  });

  // The dead tick's lock frees itself, which is another test's matter.
  directory.takeLockForDead();
  using disk = swiftDisk();
  const summary = await tickEveryDecision(directory.path, { disk });

  expect(summary.ok, death).toBe(true);
  expect(directory.tempFiles(), death).toEqual([]);
  expect(withoutLeaseIds(directory.texts()), death).toEqual(life.after);
  // What the dead tick had written is not minted, nor even offered, once more.
  expect(wokenBy(summary), death).toEqual(
    Object.entries(EVERY_VERDICT).flatMap(([jobId, verdict]) =>
      verdict.startsWith("WAKE") && !written.some(([writtenId]) => writtenId === jobId) ? [jobId] : [],
    ),
  );
  for (const [jobId, text] of survived) {
    if (written.some(([writtenId]) => writtenId === jobId)) expect(directory.texts().get(jobId), death).toBe(text);
  }
}

function wokenBy(summary: TickSummary): (string | null)[] {
  return summary.jobs.filter((row) => row.invoke_model).map((row) => row.job_id);
}

function withoutLeaseIds(texts: ReadonlyMap<string, string>): Map<string, string> {
  return new Map([...texts].map(([jobId, text]) => [jobId, text.replaceAll(/lease-[0-9a-f]{24}/g, "lease-*")]));
}
