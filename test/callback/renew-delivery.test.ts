import { beforeEach, describe, expect, test } from "vitest";
import type { ClaimRef } from "../../src/callback/decide-on-claim.ts";
import { finishDelivery } from "../../src/callback/finish-delivery.ts";
import { type RenewOptions, renewDelivery } from "../../src/callback/renew-delivery.ts";
import { blockJob, releaseJob } from "../../src/owner/change-job.ts";
import { TRAIN } from "../support/job-builder.ts";
import { MemoryFleet, verdict, WORKER } from "../support/memory-fleet.ts";
import { atNoon } from "../support/noon.ts";
import { refusalOf } from "../support/refusal-of.ts";

let fleet: MemoryFleet;

beforeEach(() => {
  fleet = new MemoryFleet();
});

function refused(claim: ClaimRef, options: RenewOptions = { workerId: WORKER }): Promise<string> {
  return refusalOf(fleet, () => renewDelivery(fleet, claim, { tokensUsed: 7, ...options }));
}

test("RENEWED: until is now + lease_seconds, under the same lease_id and holder", async () => {
  const claim = await fleet.atWork();
  fleet.clock.step(600);
  const lease = { ...claim.lease, until: atNoon(1500) };
  expect(await renewDelivery(fleet, claim, { workerId: WORKER })).toEqual({
    ok: true,
    state: "RENEWED",
    invoke_model: false,
    job_id: TRAIN,
    attempt_id: claim.attempt_id,
    lease,
  });
  expect(await fleet.job()).toMatchObject({ status: "LEASED", lease, tokens_used: 0 });
});

test.each([
  ["behind", -1200, 900],
  ["ahead", 1200, 2100],
])("until never falls: a clock 20 minutes %s shortens no lease", async (_where, skew, until) => {
  const claim = await fleet.atWork();
  fleet.clock.step(skew);
  expect(await renewDelivery(fleet, claim, { workerId: WORKER })).toMatchObject({
    state: "RENEWED",
    lease: { until: atNoon(until) },
  });
});

test("a lease that ran out and that nobody took over can still be renewed", async () => {
  const claim = await fleet.atWork();
  fleet.clock.step(50_000);
  expect(await renewDelivery(fleet, claim, { workerId: WORKER })).toMatchObject({
    state: "RENEWED",
    lease: { until: atNoon(50_900) },
  });
});

test("tokensUsed is the attempt's own total so far: repeated, smaller and missing reports count nothing twice", async () => {
  const claim = await fleet.atWork({ tokens_used: 100 });
  for (const [tokensUsed, total] of [
    [40, 140],
    [40, 140],
    [30, 140],
    [undefined, 140],
    [0, 140],
    [75, 175],
  ] as const) {
    await renewDelivery(fleet, claim, { workerId: WORKER, ...(tokensUsed !== undefined && { tokensUsed }) });
    expect((await fleet.job()).tokens_used).toBe(total);
  }
});

describe("who may not renew, and that nothing changes", () => {
  test("after a BACKOFF: LEASE_LOST", async () => {
    const claim = await fleet.atWork();
    fleet.clock.step(900);
    await fleet.deliver();
    expect(await refused(claim)).toBe("LEASE_LOST");
  });

  test("the owner blocked the job: BLOCKED, and the claimant may still finish", async () => {
    const claim = await fleet.atWork();
    await blockJob(fleet, TRAIN, "unavailable_state", "the dock is closed");
    expect(await refused(claim)).toBe("BLOCKED");
    expect(await finishDelivery(fleet, claim, { workerId: WORKER })).toMatchObject({ state: "CHECKPOINT" });
    expect(await fleet.job()).toMatchObject({ status: "BLOCKED", checkpoint: { step: 1 }, lease: null });
  });

  test("past the deadline, or the budget with its own report counted: extends nothing", async () => {
    const claim = await fleet.atWork({ deadline: atNoon(600), budget_tokens: 100 });
    expect(await renewDelivery(fleet, claim, { workerId: WORKER, tokensUsed: 99 })).toMatchObject({ state: "RENEWED" });
    expect(await refused(claim, { workerId: WORKER, tokensUsed: 100 })).toBe("BUDGET");
    expect(await fleet.job()).toMatchObject({ tokens_used: 100 });
    fleet.clock.step(600);
    expect(await refused(claim)).toBe("DEADLINE");
  });

  test("the owner released it: LEASE_LOST, and its finish is STALE_ATTEMPT", async () => {
    const claim = await fleet.atWork();
    await releaseJob(fleet, TRAIN);
    expect(await refused(claim)).toBe("LEASE_LOST");
    expect(await finishDelivery(fleet, claim, { workerId: WORKER })).toMatchObject({ state: "STALE_ATTEMPT" });
    expect(verdict(await fleet.deliver())).toBe("WAKE RUNNABLE");
  });
});

test.each([-1, 1.5, Number.NaN, 2 ** 53])("tokensUsed %s is wrong use: SCHEMA", async (tokensUsed) => {
  const claim = await fleet.atWork();
  await expect(renewDelivery(fleet, claim, { workerId: WORKER, tokensUsed })).rejects.toMatchObject({ code: "SCHEMA" });
});
