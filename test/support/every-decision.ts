import { clockAt } from "../../src/facts/clock.ts";
import { randomIds } from "../../src/facts/ids.ts";
import { blockerOf } from "../../src/job/blocker.ts";
import type { Job } from "../../src/job/job.ts";
import { sha256Of } from "../../src/json/fingerprint.ts";
import { type Disk, nodeDisk } from "../../src/store/disk.ts";
import { FileJobStore } from "../../src/store/file-job-store.ts";
import { runTick } from "../../src/wake/run-tick.ts";
import type { TickSummary } from "../../src/wake/summary.ts";
import { dueJob } from "./due-job.ts";
import { FakeMailer } from "./fake-mailer.ts";
import { FakePages } from "./fake-pages.ts";
import type { KillPoints } from "./kill-points.ts";
import { noHolds } from "./no-holds.ts";
import { NOON } from "./noon.ts";

const AN_HOUR_AGO = "2026-11-30T11:00:00Z";

/** What a mailing tick at {@link NOON} says of each of {@link jobsForEveryDecision}. */
export const EVERY_VERDICT = {
  "every-backoff-01": "BACKOFF UNCHANGED_CHECKPOINT",
  "every-blocker-01": "STOP BLOCKED_UNCHANGED",
  "every-complete-01": "STOP DONE",
  "every-dropped-01": "WAKE RUNNABLE",
  "every-exhaust-01": "STOP BUDGET",
  "every-held-0001": "HOLD CURSOR_QUOTA_HOLD",
  "every-quiet-001": "STOP NOT_DUE",
  "every-redeliver-01": "WAKE REDELIVER",
  "every-wake-0001": "WAKE RUNNABLE",
} as const;

/** Jobs which between them make a mailing tick take every decision that writes, and one that does not. */
export function jobsForEveryDecision(): Job[] {
  const blocker = { ...blockerOf("external_authority", "waits for a signature") };
  const woken = {
    attempt_count: 1,
    woke_once: true,
    last_wake_at: AN_HOUR_AGO,
    last_wake_checkpoint_sha256: sha256Of({ step: 0 }),
  };
  const owedWake = { attempt_id: "every-redeliver-01-a01", event: "wake", lease_id: "lease-old", mail: "owed", ts: AN_HOUR_AGO };
  return [
    dueJob("every-backoff-01", woken),
    dueJob("every-blocker-01", { blocker }),
    dueJob("every-complete-01", {
      completion_predicate: { type: "checkpoint_equals", value: 0 },
      result_address: "every-complete-01",
    }),
    dueJob("every-dropped-01", { blocker, last_blocker_fingerprint: "0123456789abcdef", status: "BLOCKED" }),
    dueJob("every-exhaust-01", { budget_tokens: 5, tokens_used: 5 }),
    dueJob("every-held-0001", { harness: "cursor-agent" }),
    dueJob("every-quiet-001", { next_wake_at: "2026-12-24T00:00:00Z" }),
    dueJob("every-redeliver-01", { ...woken, event_receipts: [owedWake] }),
    dueJob("every-wake-0001"),
  ];
}

export interface MortalSetting {
  readonly points?: KillPoints;
  readonly disk?: Disk;
}

/** A mailing tick over those jobs in a directory. With kill points, every port is wrapped: the store, and the disk under it too. */
export function tickEveryDecision(directory: string, { points, disk = nodeDisk }: MortalSetting = {}): Promise<TickSummary> {
  const wrap = <Port extends object>(port: Port): Port => points?.wrap(port) ?? port;
  const clock = wrap(clockAt(NOON));
  return runTick(
    {
      store: wrap(new FileJobStore({ directory, clock, disk: wrap(disk) })),
      pages: wrap(new FakePages("every-complete-01")),
      holds: noHolds,
      clock,
      ids: wrap(randomIds),
      mailer: wrap(new FakeMailer("unreached")),
    },
    { workerId: "mortal" },
  );
}
