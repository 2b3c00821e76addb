import { expect, test, vi } from "vitest";
import { probeIdleResume } from "../../src/idle-resume/probe-idle-resume.ts";
import { fleetUnder } from "../support/fleet-under.ts";

const limits = vi.hoisted((): number[] => []);

// The same race against the same promise, with a limit that is over at once.
vi.mock("../../src/facts/pause.ts", async (load) => {
  const pause = await load<typeof import("../../src/facts/pause.ts")>();
  return {
    ...pause,
    within: <T>(ms: number, promise: Promise<T>): Promise<T> => {
      limits.push(ms);
      return pause.within(0, promise);
    },
  };
});

test("a road that never answers is ERROR, after a time that ends", async () => {
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
