import fc from "fast-check";
import { expect, test } from "vitest";
import { sleeplessClock } from "../../src/facts/sleepless-clock.ts";

/** A machine that was up for a day, and tells so by the second. */
function machine() {
  let [awakeMs, asleepMs] = [5_000.5, 0];
  const clock = sleeplessClock(
    () => awakeMs,
    () => Math.floor((86_400_000 + awakeMs + asleepMs) / 1000),
  );
  return {
    clock,
    wake: (ms: number) => {
      awakeMs += ms;
    },
    sleep: (ms: number) => {
      asleepMs += ms;
    },
  };
}

test("time that the machine slept through has passed", () => {
  const { clock, wake, sleep } = machine();
  const before = clock.monotonic();
  wake(10_000);
  expect(clock.monotonic() - before).toBe(10_000);
  sleep(3_600_000);
  expect(clock.monotonic() - before).toBeGreaterThan(3_607_000);
  expect(clock.monotonic() - before).toBeLessThan(3_613_000);
});

test("however it sleeps and wakes, it never goes back, and is at most some seconds off", () => {
  fc.assert(
    fc.property(fc.array(fc.record({ wakeMs: fc.nat(10_000), sleepMs: fc.nat(10_000) })), (days) => {
      const { clock, wake, sleep } = machine();
      const start = clock.monotonic();
      let [last, passed] = [start, 0];
      for (const { wakeMs, sleepMs } of days) {
        wake(wakeMs);
        sleep(sleepMs);
        passed += wakeMs + sleepMs;
        const now = clock.monotonic();
        expect(now).toBeGreaterThanOrEqual(last);
        expect(Math.abs(now - start - passed)).toBeLessThan(4_000);
        last = now;
      }
    }),
  );
});

test("on this machine it counts as the process does while nothing sleeps", () => {
  const clock = sleeplessClock();
  const [first, second] = [clock.monotonic(), clock.monotonic()];
  expect(second).toBeGreaterThanOrEqual(first);
  expect(second - first).toBeLessThan(60_000);
});
