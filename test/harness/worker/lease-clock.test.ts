import { expect, test } from "vitest";
import { LeaseClock, STOP_GRACE_MS } from "../../../src/harness/worker/lease-clock.ts";
import { NOON } from "../../support/noon.ts";

test("a lease is counted from before the call that got it, less the time that stopping takes", () => {
  const lease = new LeaseClock(900, 5_000, NOON + 900);
  expect(lease.graceMs).toBe(STOP_GRACE_MS);
  expect(lease.stopAtMs).toBe(5_000 + 900_000 - STOP_GRACE_MS - 500);
  expect(lease.renewAtMs).toBe(5_000 + 300_000);
});

test("a renewal counts from before its own call", () => {
  const lease = new LeaseClock(900, 0, NOON + 900);
  const before = lease.stopAtMs;
  lease.renewed(300_000, NOON + 1200);
  expect(lease.stopAtMs - before).toBe(300_000);
});

test("a renewal that moved nothing extends nothing: this machine's clock went back", () => {
  const lease = new LeaseClock(900, 0, NOON + 900);
  const before = lease.stopAtMs;
  lease.renewed(300_000, NOON + 900);
  expect(lease.stopAtMs).toBe(before);
  lease.renewed(600_000, NOON + 910);
  expect(lease.stopAtMs).toBe(before + 10_000);
});

test("an answer that took long shortens nothing", () => {
  const lease = new LeaseClock(900, 0, NOON + 900);
  lease.renewed(300_000, NOON + 1200);
  const before = lease.stopAtMs;
  lease.renewed(200_000, NOON + 1200);
  expect(lease.stopAtMs).toBe(before);
});

test.each([1, 2, 20])("a lease of %i s leaves a run three quarters of it at least, less half a second", (seconds) => {
  const lease = new LeaseClock(seconds, 0, NOON + seconds);
  expect(lease.stopAtMs).toBeGreaterThanOrEqual(seconds * 500);
  expect(lease.stopAtMs + lease.graceMs).toBeLessThan(seconds * 1000);
});
