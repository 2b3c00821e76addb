import { describe, expect, test } from "vitest";
import { runTickLoop } from "../../src/cli/tick-loop.ts";
import { JobError } from "../../src/errors/job-error.ts";
import { SimulatedTime } from "../support/simulated-time.ts";

/** A loop of one tick a minute in simulated time. Each pass takes so many seconds, or throws. */
function loopOf(passes: readonly (number | Error)[]) {
  const time = new SimulatedTime();
  const [first, second] = [new AbortController(), new AbortController()];
  const began: number[] = [];
  const errors: unknown[] = [];
  let atOnce = 0;
  let atOnceMost = 0;
  const tick = async (): Promise<void> => {
    const pass = passes[began.length % passes.length] ?? 0;
    began.push(time.nowMs / 1000);
    atOnceMost = Math.max(atOnceMost, ++atOnce);
    if (typeof pass === "number") await time.pause(pass * 1000, pass * 1000);
    atOnce--;
    if (typeof pass !== "number") throw pass;
  };
  const end = runTickLoop(
    {
      everyMs: 60_000,
      tick,
      tellError: (error) => errors.push(error),
      stopping: first.signal,
      stoppingAtOnce: second.signal,
    },
    { monotonic: () => time.nowMs, pause: (ms, signal) => time.pause(ms, ms, signal) },
  );
  return { time, first, second, began, errors, end, atOnceMost: () => atOnceMost };
}

describe("a tick every minute", () => {
  test("comes every minute, however long each takes", async () => {
    const { time, began } = loopOf([1, 20, 0]);
    await time.runUntil(240_000);
    expect(began).toEqual([0, 60, 120, 180, 240]);
  });

  test("never overlaps itself: a pass that takes longer leaves out the moments that it covered", async () => {
    const { time, began, atOnceMost } = loopOf([150, 1]);
    await time.runUntil(500_000);
    expect(began).toEqual([0, 180, 240, 420, 480]);
    expect(atOnceMost()).toBe(1);
  });

  test("survives a pass that fails, and tells it", async () => {
    const failures = [new JobError("REMOTE_UNAVAILABLE", "no answer"), new TypeError("a bug")];
    const { time, began, errors } = loopOf(failures);
    await time.runUntil(180_000);
    expect(began).toEqual([0, 60, 120, 180]);
    expect(errors).toEqual([...failures, ...failures]);
  });

  test("survives a config that breaks while it runs, and not one that was broken from the start", async () => {
    const broken = new JobError("CONFIG", "harness-wake.json: is not JSON");
    const later = loopOf([0, broken, 0]);
    await later.time.runUntil(120_000);
    expect([later.began, later.errors]).toEqual([[0, 60, 120], [broken]]);
    await expect(loopOf([broken]).end).rejects.toBe(broken);
  });

  test("told to stop, it finishes the pass under way, begins no other, and ends with 0", async () => {
    const { time, first, began, end } = loopOf([30]);
    await time.runUntil(70_000);
    first.abort();
    let isOver = false;
    void end.then(() => (isOver = true));
    await time.runUntil(80_000);
    expect(isOver).toBe(false);
    await time.runUntil(90_000);
    expect(await end).toBe(0);
    expect(began).toEqual([0, 60]);
  });

  test("told to stop between two passes, it ends at once", async () => {
    const { time, first, end } = loopOf([1]);
    await time.runUntil(10_000);
    first.abort();
    expect([await end, time.nowMs]).toEqual([0, 1_000]);
  });

  test("told twice, it leaves the pass under way and ends with 4", async () => {
    const { time, first, second, end } = loopOf([3_600]);
    await time.runUntil(10_000);
    first.abort();
    second.abort();
    expect(await end).toBe(4);
  });
});
