import { beforeEach, describe, expect, test } from "vitest";
import type { ClaimRef } from "../../src/callback/decide-on-claim.ts";
import { failDelivery } from "../../src/callback/fail-delivery.ts";
import { blockJob } from "../../src/owner/change-job.ts";
import { TRAIN } from "../support/job-builder.ts";
import { MemoryFleet, verdict, WORKER } from "../support/memory-fleet.ts";
import { atNoon } from "../support/noon.ts";
import { refusalOf } from "../support/refusal-of.ts";

let fleet: MemoryFleet;

beforeEach(() => {
  fleet = new MemoryFleet();
});

const GAVE_UP = { workerId: WORKER, detail: "the model refused" };

function refused(claim: ClaimRef, options: { workerId?: string; harness?: string } = {}): Promise<string> {
  return refusalOf(fleet, () => failDelivery(fleet, claim, { tokensUsed: 7, ...GAVE_UP, ...options }));
}

test("the claimant gives the attempt up: receipt failed, OPEN, lease null, checkpoint unmoved, tokens noted", async () => {
  const claim = await fleet.atWork({ tokens_used: 100 });
  const { checkpoint } = await fleet.job();
  fleet.clock.step(30);
  expect(await failDelivery(fleet, claim, { ...GAVE_UP, tokensUsed: 12 })).toEqual({
    ok: true,
    state: "FAILED",
    invoke_model: false,
    job_id: TRAIN,
    attempt_id: claim.attempt_id,
  });
  expect(await fleet.job()).toMatchObject({ status: "OPEN", lease: null, checkpoint, tokens_used: 112, attempt_count: 1 });
  expect(await fleet.receipts("failed")).toMatchObject([
    { attempt_id: claim.attempt_id, claim_id: claim.claim_id, detail: GAVE_UP.detail, ts: atNoon(30), worker_id: WORKER },
  ]);
});

test("the next tick backs off by rule 12, and the next attempt is a new one", async () => {
  await failDelivery(fleet, await fleet.atWork(), GAVE_UP);
  expect(verdict(await fleet.deliver())).toBe("BACKOFF UNCHANGED_CHECKPOINT");
  expect(await fleet.job()).toMatchObject({ no_progress_count: 1, next_wake_at: atNoon(120) });
  fleet.clock.step(120);
  const pass = await fleet.deliver();
  expect(pass.jobs).toMatchObject([{ action: "WAKE", reason: "RUNNABLE", attempt_id: `${TRAIN}-a02` }]);
});

test("the same call again is a no-op", async () => {
  const claim = await fleet.atWork();
  await failDelivery(fleet, claim, GAVE_UP);
  const before = fleet.text();
  expect(await failDelivery(fleet, claim, GAVE_UP)).toMatchObject({ ok: true, state: "FAILED", replay: true });
  expect(fleet.text()).toBe(before);
});

test("a lease that ran out and that nobody took over can still be given up", async () => {
  const claim = await fleet.atWork();
  fleet.clock.step(50_000);
  expect(await failDelivery(fleet, claim, GAVE_UP)).toMatchObject({ ok: true, state: "FAILED" });
});

describe("who may not fail an attempt, and that nothing changes", () => {
  test("but after a BACKOFF it may, while nobody else was offered it", async () => {
    const claim = await fleet.atWork();
    fleet.clock.step(900);
    await fleet.deliver();
    expect(await failDelivery(fleet, claim, GAVE_UP)).toMatchObject({ ok: true, state: "FAILED" });
  });

  test("the checkpoint was moved by its owner: STALE_ATTEMPT; a blocked job stays BLOCKED", async () => {
    const claim = await fleet.atWork();
    fleet.edit({ checkpoint: { step: 1 } });
    expect(await refused(claim)).toBe("STALE_ATTEMPT");
    fleet.edit({ checkpoint: { step: 0 } });
    await blockJob(fleet, TRAIN, "unavailable_state", "the dock is closed");
    expect(await failDelivery(fleet, claim, GAVE_UP)).toMatchObject({ ok: true, state: "FAILED" });
    expect(await fleet.job()).toMatchObject({ status: "BLOCKED", lease: null });
  });
});

test("a detail that is no text is wrong use: SCHEMA", async () => {
  const claim = await fleet.atWork();
  const detail = 7 as unknown as string;
  await expect(failDelivery(fleet, claim, { workerId: WORKER, detail })).rejects.toMatchObject({
    code: "SCHEMA",
    field: "detail",
  });
});
