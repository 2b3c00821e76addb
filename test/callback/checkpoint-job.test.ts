import { beforeEach, describe, expect, test } from "vitest";
import { type CheckpointOptions, checkpointJob } from "../../src/callback/checkpoint-job.ts";
import { consumeDelivery } from "../../src/callback/consume-delivery.ts";
import { finishDelivery } from "../../src/callback/finish-delivery.ts";
import { cancelJob } from "../../src/owner/change-job.ts";
import { TRAIN } from "../support/job-builder.ts";
import { MemoryFleet, verdict, WORKER } from "../support/memory-fleet.ts";
import { atNoon } from "../support/noon.ts";

let fleet: MemoryFleet;
let options: CheckpointOptions;

beforeEach(async () => {
  fleet = new MemoryFleet();
  fleet.put({ no_progress_count: 3 });
  await fleet.tick();
  const leaseId = (await fleet.job()).lease?.lease_id ?? "no lease";
  options = { attemptId: `${TRAIN}-a01`, leaseId, checkpoint: { step: 1 } };
});

/** The answer's state, once it is certain that the call changed nothing. */
async function refused(changed: Partial<CheckpointOptions> = {}): Promise<string> {
  const before = fleet.text();
  const answer = await checkpointJob(fleet, TRAIN, { ...options, ...changed });
  expect(fleet.text()).toBe(before);
  expect(answer.invoke_model).toBe(false);
  return answer.state;
}

test("checkpoint moves the checkpoint under a live lease and ends the attempt", async () => {
  const mail = await fleet.mail();
  fleet.clock.step(60);
  expect(await checkpointJob(fleet, TRAIN, options)).toEqual({
    ok: true,
    state: "CHECKPOINT",
    invoke_model: false,
    job_id: TRAIN,
    attempt_id: options.attemptId,
  });
  expect(await fleet.job()).toMatchObject({
    checkpoint: { step: 1 },
    status: "OPEN",
    lease: null,
    no_progress_count: 0,
    next_wake_at: atNoon(60),
  });
  expect(await fleet.receipts("checkpoint")).toMatchObject([{ attempt_id: options.attemptId, ts: atNoon(60) }]);
  expect(await consumeDelivery(fleet, mail, { workerId: WORKER })).toMatchObject({ state: "REPLAY" });
  expect(await refused()).toBe("STALE_ATTEMPT");
  expect(verdict(await fleet.tick())).toBe("WAKE RUNNABLE");
});

describe("needs the live attempt_id and lease_id: else STALE_ATTEMPT, and nothing changes", () => {
  test.each<[string, Partial<CheckpointOptions>]>([
    ["another attempt_id", { attemptId: `${TRAIN}-a02` }],
    ["another lease_id", { leaseId: "lease-guessed" }],
    ["no lease_id", { leaseId: "" }],
  ])("%s", async (_what, changed) => {
    expect(await refused(changed)).toBe("STALE_ATTEMPT");
  });

  test("a lease that ran out", async () => {
    fleet.clock.step(900);
    expect(await refused()).toBe("STALE_ATTEMPT");
  });

  test("a checkpoint that others moved", async () => {
    fleet.edit({ checkpoint: { step: 5 } });
    expect(await refused()).toBe("STALE_ATTEMPT");
  });
});

test("a held job answers the hold's state", async () => {
  fleet.edit({ harness: "cursor" });
  expect(await refused()).toBe("CURSOR_QUOTA_HOLD");
});

test("a terminal job changes no more", async () => {
  await cancelJob(fleet, TRAIN, "enough");
  expect(await refused()).toBe("CANCELLED");
});

test("a checkpoint that JSON cannot hold is SCHEMA", async () => {
  const checkpoint = { n: Number.NaN };
  await expect(checkpointJob(fleet, TRAIN, { ...options, checkpoint })).rejects.toMatchObject({ code: "SCHEMA" });
});

test("it takes the attempt from a claimant, whose finish is then refused", async () => {
  const claim = await fleet.claim();
  await checkpointJob(fleet, TRAIN, options);
  const before = fleet.text();
  expect(await finishDelivery(fleet, claim, { workerId: WORKER })).toMatchObject({ state: "STALE_ATTEMPT" });
  expect(fleet.text()).toBe(before);
});
