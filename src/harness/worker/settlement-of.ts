import { parseDuration } from "../../job/duration.ts";
import { addSeconds, formatTime } from "../../job/time.ts";
import type { Outcome } from "../outcome.ts";
import type { Conclusion } from "../program.ts";
import type { Settlement } from "./settlement.ts";

/** What the store is to be told of a run. `now` is in seconds. */
export function settlementOf(conclusion: Conclusion, now: number): Settlement {
  switch (conclusion.kind) {
    case "nothing_left":
      return { kind: "step", ...(conclusion.checkpoint !== undefined && { checkpoint: conclusion.checkpoint }) };
    case "failed":
      return { kind: "fail", detail: conclusion.detail };
    case "outcome":
      return conclusion.outcome.fail === undefined
        ? { kind: "finish", outcome: finishedBy(conclusion.outcome, now) }
        : { kind: "fail", detail: conclusion.outcome.fail };
  }
}

function finishedBy({ checkpoint, next_wake_at, in: after, result, result_address, blocker }: Outcome, now: number) {
  const pause = after === undefined ? undefined : parseDuration(after);
  const nextWakeAt = pause === undefined ? next_wake_at : formatTime(addSeconds(now, pause));
  return {
    ...(checkpoint !== undefined && { checkpoint }),
    ...(nextWakeAt !== undefined && { nextWakeAt }),
    ...(result !== undefined && { result }),
    ...(result_address !== undefined && { resultAddress: result_address }),
    ...(blocker !== undefined && { blocker }),
  };
}
