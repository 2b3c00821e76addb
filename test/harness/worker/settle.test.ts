import { beforeEach, describe, expect, test } from "vitest";
import { settle } from "../../../src/harness/worker/settle.ts";
import type { Settlement } from "../../../src/harness/worker/settlement.ts";
import { cancelJob } from "../../../src/owner/change-job.ts";
import { noGit } from "../../support/fake-pages.ts";
import { TRAIN } from "../../support/job-builder.ts";
import { type ClaimOfOurs, MemoryFleet, verdict, WORKER } from "../../support/memory-fleet.ts";

let fleet: MemoryFleet;

beforeEach(() => {
  fleet = new MemoryFleet();
});

const BY = { workerId: WORKER, harness: "script" };

function settled(claim: ClaimOfOurs, settlement: Settlement) {
  return settle(fleet, claim, BY, { settlement, usage: { tokensUsed: 7, costUsd: 0.5 } });
}

const ON_PAGE = { completion_predicate: { type: "result_address_on_head" } };
const STEP_3 = { completion_predicate: { type: "checkpoint_equals", value: 3 } };

describe("a run that ended well and left nothing", () => {
  test("is DONE where its page stands", async () => {
    fleet.pages.durable.add(TRAIN);
    const claim = await fleet.atWork();
    expect(await settled(claim, { kind: "step" })).toMatchObject({ ok: true, state: "DONE" });
    expect(await fleet.job()).toMatchObject({ status: "DONE", result: { kind: "page" }, tokens_used: 7 });
  });

  test.each([
    ["has no page yet", {}],
    ["has no address", { result_address: "" }],
    ["waits for a checkpoint", STEP_3],
  ])("is one step where the job %s", async (_what, fields) => {
    const claim = await fleet.atWork(fields);
    expect(await settled(claim, { kind: "step" })).toMatchObject({ ok: true, state: "CHECKPOINT", step: 1 });
    expect(await fleet.job()).toMatchObject({ status: "OPEN", checkpoint: { step: 1 }, tokens_used: 7 });
  });
});

describe("what a run says that it left", () => {
  test("is the job's new checkpoint, and when to wake it again", async () => {
    const claim = await fleet.atWork(ON_PAGE);
    const outcome = { checkpoint: { step: 4 }, nextWakeAt: "2026-12-01T00:00:00Z" };
    expect(await settled(claim, { kind: "finish", outcome })).toMatchObject({ state: "CHECKPOINT" });
    expect(await fleet.job()).toMatchObject({ checkpoint: { step: 4 }, next_wake_at: "2026-12-01T00:00:00Z" });
  });

  test("is no end without its page: the attempt is given up, and the history says why", async () => {
    const claim = await fleet.atWork();
    expect(await settled(claim, { kind: "finish", outcome: { result: { kind: "report" } } })).toMatchObject({ state: "FAILED" });
    expect(await fleet.receipts("failed")).toMatchObject([{ detail: expect.stringContaining("NOT_DURABLE") }]);
    expect(verdict(await fleet.deliver())).toBe("BACKOFF UNCHANGED_CHECKPOINT");
  });

  test("is no end where the predicate is not met", async () => {
    fleet.pages.durable.add(TRAIN);
    const claim = await fleet.atWork(STEP_3);
    const outcome = { result: { kind: "report" }, checkpoint: { step: 2 } };
    expect(await settled(claim, { kind: "finish", outcome })).toMatchObject({ state: "FAILED" });
    expect(await fleet.receipts("failed")).toMatchObject([{ detail: expect.stringContaining("PREDICATE") }]);
  });

  test("is given up where no job can hold it", async () => {
    const claim = await fleet.atWork();
    const outcome = { checkpoint: { big: "x".repeat(2 ** 20) } };
    expect(await settled(claim, { kind: "finish", outcome })).toMatchObject({ state: "FAILED" });
    expect(await fleet.receipts("failed")).toMatchObject([{ detail: expect.stringContaining("checkpoint is") }]);
  });

  test("may block the job", async () => {
    const claim = await fleet.atWork();
    const blocker = { kind: "external_authority", detail: "needs a key" } as const;
    expect(await settled(claim, { kind: "finish", outcome: { blocker } })).toMatchObject({ state: "CHECKPOINT" });
    expect(await fleet.job()).toMatchObject({ status: "BLOCKED", blocker });
  });
});

test("a run that failed gives its attempt up, in words that fit a job's history", async () => {
  const claim = await fleet.atWork();
  expect(await settled(claim, { kind: "fail", detail: "x".repeat(10_000) })).toMatchObject({ state: "FAILED" });
  expect(await fleet.receipts("failed")).toMatchObject([{ detail: "x".repeat(4_000) }]);
  expect(await fleet.receipts("delivery_claim")).toMatchObject([{ tokens_used: 7, cost_usd: 0.5 }]);
});

test("what another was offered meanwhile, or what ended, is answered so and stays as it is", async () => {
  const claim = await fleet.atWork();
  await cancelJob(fleet, TRAIN, "enough");
  const before = fleet.text();
  expect(await settled(claim, { kind: "step" })).toMatchObject({ ok: false, state: "CANCELLED" });
  expect(fleet.text()).toBe(before);
});

test("where nobody can say whether the page stands, a result waits: the caller keeps it and asks again", async () => {
  const claim = await fleet.atWork();
  fleet.pages.failure = noGit();
  const outcome = { result: { kind: "report" } };
  await expect(settled(claim, { kind: "finish", outcome })).rejects.toMatchObject({ code: "TRUTH_UNAVAILABLE" });
  expect(await fleet.receipts("failed")).toEqual([]);
});
