import { describe, expect, test } from "vitest";
import type { Job } from "../../src/job/job.ts";
import { tickHistoryOf } from "../../src/report/tick-history.ts";
import { jobOf, TRAIN } from "../support/job-builder.ts";
import { atNoon, NOON } from "../support/noon.ts";

const FIRST = `${TRAIN}-a01`;
const SECOND = `${TRAIN}-a02`;
const [STEP_0, STEP_1] = ["0".repeat(64), "1".repeat(64)];

/** Woken, claimed, finished with a wish to be woken at noon, and woken again 40 seconds after noon. */
function twiceWoken(between: readonly object[] = [], second: object = {}, lastCheckpoint = STEP_1): Job {
  return jobOf({
    last_wake_checkpoint_sha256: lastCheckpoint,
    event_receipts: [
      { attempt_id: FIRST, event: "wake", ts: atNoon(-900) },
      { attempt_id: FIRST, event: "delivery_claim", ts: atNoon(-850), wake_checkpoint_sha256: STEP_0 },
      { attempt_id: FIRST, event: "ack", ts: atNoon(-800), next_wake_at: atNoon() },
      ...between,
      { attempt_id: SECOND, event: "wake", ts: atNoon(40), ...second },
    ],
  });
}

describe("the history of ticks", () => {
  test("has each moment once at which a tick wrote something, in order", () => {
    const other = jobOf({ event_receipts: [{ attempt_id: FIRST, event: "cursor_quota_hold", ts: atNoon(-900) }] });
    expect(tickHistoryOf([twiceWoken(), other]).passes).toEqual([NOON - 900, NOON + 40]);
  });

  test("tells how late a wake was from what the finish before it asked for", () => {
    expect(tickHistoryOf([twiceWoken()]).wakes).toEqual([{ job_id: TRAIN, attempt_id: SECOND, due: NOON, at: NOON + 40 }]);
  });

  test.each<[string, Job]>([
    ["a hold came between", twiceWoken([{ attempt_id: FIRST, event: "cursor_quota_hold", ts: atNoon(10) }])],
    ["it was offered again, and bears the time of the last offer", twiceWoken([], { count: 3 })],
    ["it came after a back-off on the same checkpoint", twiceWoken([], {}, STEP_0)],
    ["its owner asked for an earlier one", twiceWoken([], { ts: atNoon(-1) })],
    ["it is another job's", twiceWoken([], { attempt_id: "someone-else-a02" })],
  ])("does not take a wake for late where %s", (_, job) => {
    expect(tickHistoryOf([job]).wakes).toEqual([]);
  });
});
