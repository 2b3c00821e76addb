import { beforeEach, describe, expect, test } from "vitest";
import type { Observation } from "../../src/job/moves/observe.ts";
import { appendReceipt } from "../../src/owner/append-receipt.ts";
import { cancelJob } from "../../src/owner/change-job.ts";
import { TRAIN } from "../support/job-builder.ts";
import { MemoryFleet, verdict } from "../support/memory-fleet.ts";
import { atNoon } from "../support/noon.ts";

let fleet: MemoryFleet;

beforeEach(() => {
  fleet = new MemoryFleet();
  fleet.put();
});

const SEEN: Observation = { attempt_id: "1732968000.123456", event: "slack_seen", ts: atNoon(-60), channel: "C1" };

test("an observation is appended as it was given; its attempt_id may be a Slack ts", async () => {
  await fleet.deliver();
  const before = await fleet.job();
  expect(await appendReceipt(fleet, TRAIN, SEEN)).toEqual({ ok: true, state: "RECORDED", invoke_model: false, job_id: TRAIN });
  const { event_receipts, ...rest } = await fleet.job();
  expect(event_receipts).toEqual([...before.event_receipts, SEEN]);
  expect({ ...rest, event_receipts: before.event_receipts }).toEqual(before);
});

test.each([
  ["with its ts", SEEN],
  ["whose ts was left to us", { attempt_id: SEEN.attempt_id, event: "slack_seen", channel: "C2" }],
])("an identical receipt is a no-op: %s", async (_what, observation) => {
  await appendReceipt(fleet, TRAIN, observation);
  const before = fleet.text();
  fleet.clock.step(60);
  expect(await appendReceipt(fleet, TRAIN, observation)).toMatchObject({ ok: true, replay: true });
  expect(fleet.text()).toBe(before);
});

test("a receipt that differs in anything is another", async () => {
  await appendReceipt(fleet, TRAIN, SEEN);
  for (const other of [{ ts: atNoon(-59) }, { channel: "C2" }, { more: 1 }]) {
    expect(await appendReceipt(fleet, TRAIN, { ...SEEN, ...other })).not.toHaveProperty("replay");
  }
  expect(await fleet.receipts("slack_seen")).toHaveLength(4);
});

test("a terminal job takes it too, and updated_at stays", async () => {
  await cancelJob(fleet, TRAIN, "enough");
  const before = await fleet.job();
  fleet.clock.step(60);
  await appendReceipt(fleet, TRAIN, SEEN);
  expect(await fleet.job()).toEqual({ ...before, event_receipts: [...before.event_receipts, SEEN] });
});

describe("it cannot forge what only transitions write", () => {
  test.each(["wake", "checkpoint", "complete", "cancel", "auto_complete", "exhaust", "delivery_claim", "ack", "failed"])(
    "%s",
    async (event) => {
      await fleet.deliver();
      const before = fleet.text();
      const forged = { attempt_id: `${TRAIN}-a01`, event };
      await expect(appendReceipt(fleet, TRAIN, forged)).rejects.toMatchObject({ code: "SCHEMA", field: "event" });
      expect(fleet.text()).toBe(before);
    },
  );
});

test("an observation moves no decision of a tick", async () => {
  await fleet.tick();
  await appendReceipt(fleet, TRAIN, { attempt_id: `${TRAIN}-a01`, event: "claimed_elsewhere", claim_id: "claim-1" });
  expect(verdict(await fleet.tick())).toBe("STOP LEASE_HELD");
  await expect(fleet.claim()).resolves.toMatchObject({ state: "CLAIMED" });
});

test.each<[string, unknown]>([
  ["attempt_id", { ...SEEN, attempt_id: "" }],
  ["attempt_id", { ...SEEN, attempt_id: "two\nlines" }],
  ["event", { ...SEEN, event: 7 }],
  ["ts", { ...SEEN, ts: "2026-02-30" }],
  ["receipt.n", { ...SEEN, n: Number.NaN }],
])("a bad %s is SCHEMA", async (field, observation) => {
  await expect(appendReceipt(fleet, TRAIN, observation as Observation)).rejects.toMatchObject({ code: "SCHEMA", field });
});
