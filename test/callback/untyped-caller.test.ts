import { beforeEach, describe, expect, test } from "vitest";
import { finishDelivery } from "../../src/callback/finish-delivery.ts";
import { blockJob, cancelJob, updateJob } from "../../src/owner/change-job.ts";
import { createJob } from "../../src/owner/create-job.ts";
import { runTick } from "../../src/wake/run-tick.ts";
import { TRAIN } from "../support/job-builder.ts";
import { jobErrorFrom } from "../support/job-error-of.ts";
import { MemoryFleet, verdict, WORKER } from "../support/memory-fleet.ts";

let fleet: MemoryFleet;

beforeEach(() => {
  fleet = new MemoryFleet();
});

/** What a harness in plain JavaScript hands over: the compiler does not see it. */
function untyped<T>(value: unknown): T {
  return value as T;
}

function nested(levels: number): unknown {
  return JSON.parse("[".repeat(levels) + "]".repeat(levels));
}

const FIELDS = { job_id: TRAIN, owner_claim: "HARBOR", harness: "script", objective: "Keep on.", deadline: "2027-12-31" };

describe("wrong use is SCHEMA, and leaves the job as it was: no call makes a job file that no call can read", () => {
  const CALLS: Readonly<Record<string, () => Promise<unknown>>> = {
    "block without a detail": () => blockJob(fleet, TRAIN, "external_authority", untyped(undefined)),
    "block of a kind that there is not": () => blockJob(fleet, TRAIN, untyped("weather"), "rain"),
    "cancel with a reason that is no text": () => cancelJob(fleet, TRAIN, untyped({ why: "rain" })),
    "update to a checkpoint that holds a function": () => updateJob(fleet, TRAIN, { checkpoint: { step: untyped(() => 1) } }),
    "update to a checkpoint that holds NaN": () => updateJob(fleet, TRAIN, { checkpoint: { step: Number.NaN } }),
    "update to a predicate that nests too deep": () =>
      updateJob(fleet, TRAIN, { completion_predicate: { type: "checkpoint_equals", value: untyped(nested(207)) } }),
  };

  test.each(Object.entries(CALLS))("%s", async (_, call) => {
    fleet.put();
    const before = fleet.text();
    expect(await jobErrorFrom(call)).toMatchObject({ code: "SCHEMA" });
    expect(fleet.text()).toBe(before);
  });

  test("create with a field of no JSON", async () => {
    const fields = { ...FIELDS, note: untyped<string>(() => "x") };
    expect(await jobErrorFrom(() => createJob(fleet, fields))).toMatchObject({ code: "SCHEMA" });
    expect(fleet.texts.size).toBe(0);
  });

  test("a tick without a worker's name, and the job can still be woken", async () => {
    fleet.put();
    const { store, pages, holds, clock, ids } = fleet;
    const ticking = () => runTick({ store, pages, holds, clock, ids }, untyped({}));
    expect(await jobErrorFrom(ticking)).toMatchObject({ code: "SCHEMA", field: "worker_id" });
    expect(verdict(await fleet.tick())).toBe("WAKE RUNNABLE");
  });
});

test("a result whose kind is an object with a toString of its own is a result like any other", async () => {
  const claim = await fleet.atWork();
  const result = JSON.parse('{"kind":{"toString":1,"valueOf":1},"status":["x"]}');
  expect(await finishDelivery(fleet, claim, { workerId: WORKER, result })).toMatchObject({ state: "NOT_DURABLE" });
  fleet.pages.durable.add(TRAIN);
  expect(await finishDelivery(fleet, claim, { workerId: WORKER, result })).toMatchObject({ state: "DONE" });
  expect(await fleet.job()).toMatchObject({ result });
});
