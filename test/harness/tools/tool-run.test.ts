import { expect, test } from "vitest";
import { ToolRun } from "../../../src/harness/tools/tool-run.ts";

test("a timer that goes off a moment early does not keep the time from being over", async () => {
  let nowMs = 0;
  const timers: { readonly ms: number; readonly act: () => void }[] = [];
  const run = new ToolRun({
    tools: [],
    schema: { type: "object" },
    limits: { turnsMax: 1, timeMsMax: 1_000, rejectionsMax: 1 },
    clock: { monotonic: () => nowMs },
    later: (ms, act) => {
      timers.push({ ms, act });
      return () => undefined;
    },
  });
  nowMs = 999.6;
  timers[0]?.act();
  nowMs = 1_000.6;
  timers[1]?.act();
  expect(timers.map(({ ms }) => ms)).toEqual([1_000, 1]);
  expect(await run.over).toEqual({ kind: "stop", reason: "time" });
});
