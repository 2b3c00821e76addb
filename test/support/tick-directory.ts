import { clockAt } from "../../src/facts/clock.ts";
import { randomIds } from "../../src/facts/ids.ts";
import type { Seconds } from "../../src/job/time.ts";
import type { PageOracle } from "../../src/pages/page-oracle.ts";
import type { Disk } from "../../src/store/disk.ts";
import { FileJobStore } from "../../src/store/file-job-store.ts";
import { runTick } from "../../src/wake/run-tick.ts";
import type { TickSummary } from "../../src/wake/summary.ts";
import { FakePages } from "./fake-pages.ts";
import { noHolds } from "./no-holds.ts";

export interface TickSetting {
  readonly pages?: PageOracle;
  readonly disk?: Disk;
}

/** One healthy tick over a directory at a given moment, in this process. */
export async function tickDirectory(directory: string, now: Seconds, setting: TickSetting = {}): Promise<TickSummary> {
  const clock = clockAt(now);
  const { pages = new FakePages(), disk } = setting;
  const store = new FileJobStore({ directory, displayName: "wake_jobs", clock, ...(disk && { disk }) });
  return runTick({ store, pages, holds: noHolds, clock, ids: randomIds }, { workerId: "healthy" });
}
