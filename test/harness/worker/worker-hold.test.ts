import { expect, test } from "vitest";
import type { WorkerEvent } from "../../../src/harness/worker/worker-event.ts";
import { type HoldWait, waitOutHolds } from "../../../src/harness/worker/worker-hold.ts";
import { ownersHolds } from "../../../src/holds/holds.ts";
import { CURSOR_QUOTA_HOLD } from "../../../src/job/hold.ts";
import { MemoryJobStore } from "../../../src/store/memory-job-store.ts";
import { SimulatedTime } from "../../support/simulated-time.ts";

/** A worker that waits for the hold to be lifted, and what it says meanwhile. */
function waiting(fields: Partial<HoldWait> & { readonly liftedAtMs: number }) {
  const time = new SimulatedTime();
  const told: WorkerEvent[] = [];
  const store = new MemoryJobStore();
  const holds = ownersHolds(store, async () => (time.nowMs < fields.liftedAtMs ? [CURSOR_QUOTA_HOLD] : []));
  const wait = waitOutHolds({
    fleet: { store, holds },
    claimant: { workerId: "me", harness: "script" },
    adapterId: "cursor",
    timing: time,
    once: false,
    lookEveryMs: 60_000,
    tell: (event) => told.push(event),
    stopping: new AbortController().signal,
    ...fields,
  });
  return { time, told, wait };
}

test("a worker whose adapter is held waits until the hold is lifted", async () => {
  const { time, told, wait } = waiting({ liftedAtMs: 150_000 });
  await time.runUntil(600_000);
  expect(await wait).toBeUndefined();
  expect(time.nowMs).toBe(180_000);
  expect(told.map(({ event }) => event)).toEqual(["held", "held", "held"]);
});

test("with once it does not wait", async () => {
  const { time, wait } = waiting({ liftedAtMs: 1, once: true });
  expect(await wait).toBe(CURSOR_QUOTA_HOLD);
  expect(time.nowMs).toBe(0);
});

test("told to stop it waits no longer", async () => {
  const stopping = new AbortController();
  const { time, wait } = waiting({ liftedAtMs: 1e9, stopping: stopping.signal });
  void time.pause(90_000, 90_000).then(() => stopping.abort());
  await time.runUntil(600_000);
  expect(await wait).toBe(CURSOR_QUOTA_HOLD);
  expect(time.nowMs).toBe(90_000);
});

test("an adapter that no hold covers does not wait", async () => {
  const { told, wait } = waiting({ liftedAtMs: 1e9, adapterId: "library" });
  expect(await wait).toBeUndefined();
  expect(told).toEqual([]);
});
