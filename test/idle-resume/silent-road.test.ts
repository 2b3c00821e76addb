import { afterEach, beforeEach, expect, test, vi } from "vitest";

const PAUSE = "../../src/facts/pause.ts";
const limits: number[] = [];

beforeEach(() => {
  // Modules are loaded afresh, since other files may have loaded them with the real limit.
  vi.resetModules();
  // The same race against the same promise, with a limit that is over at once.
  vi.doMock(PAUSE, async (load) => {
    const pause = await load<typeof import("../../src/facts/pause.ts")>();
    return {
      ...pause,
      within: <T>(ms: number, promise: Promise<T>): Promise<T> => {
        limits.push(ms);
        return pause.within(0, promise);
      },
    };
  });
});
afterEach(() => {
  vi.doUnmock(PAUSE);
  vi.resetModules();
});

test("a road that never answers is ERROR, after a time that ends", async () => {
  const { probeIdleResume } = await import("../../src/idle-resume/probe-idle-resume.ts");
  const { fleetUnder } = await import("../support/fleet-under.ts");
  const resume = () => new Promise(() => undefined);
  const answer = await probeIdleResume("bc-0123abcd", { thisBc: "bc-4567ef01", resume, fleet: fleetUnder() });
  expect(answer).toMatchObject({
    ok: false,
    action: "STOP",
    invoke_model: false,
    state: "ERROR",
    measured: false,
    live_resume: false,
  });
  expect(limits).toEqual([30_000]);
});
