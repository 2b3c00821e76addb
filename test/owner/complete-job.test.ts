import { beforeEach, describe, expect, test } from "vitest";
import { finishDelivery } from "../../src/callback/finish-delivery.ts";
import { cancelJob } from "../../src/owner/change-job.ts";
import { type CompleteOptions, completeJob } from "../../src/owner/complete-job.ts";
import { noGit } from "../support/fake-pages.ts";
import { TRAIN } from "../support/job-builder.ts";
import { MemoryFleet, verdict, WORKER } from "../support/memory-fleet.ts";
import { atNoon } from "../support/noon.ts";

const PAGE: CompleteOptions = { result: { kind: "page" }, resultAddress: TRAIN };

let fleet: MemoryFleet;

beforeEach(() => {
  fleet = new MemoryFleet();
  fleet.put();
  fleet.pages.durable.add(TRAIN);
});

async function refused(options: CompleteOptions = PAGE): Promise<string> {
  const before = fleet.text();
  const answer = await completeJob(fleet, TRAIN, options);
  expect(fleet.text()).toBe(before);
  expect(answer).toMatchObject({ ok: false, invoke_model: false });
  return answer.state;
}

test("complete makes a job DONE whose page stands", async () => {
  fleet.clock.step(60);
  expect(await completeJob(fleet, TRAIN, PAGE)).toEqual({ ok: true, state: "DONE", invoke_model: false, job_id: TRAIN });
  expect(await fleet.job()).toMatchObject({
    status: "DONE",
    lease: null,
    completed_at: atNoon(60),
    result: PAGE.result,
    result_address: TRAIN,
  });
  expect(await fleet.receipts("complete")).toHaveLength(1);
  expect(verdict(await fleet.deliver())).toBe("STOP DONE");
});

test.each([{ kind: "page" }, "text", 0, null, [JSON.rawJSON("1.0")]])(
  "it is idempotent for the same result: %j",
  async (result) => {
    await completeJob(fleet, TRAIN, { ...PAGE, result });
    const before = fleet.text();
    fleet.clock.step(60);
    expect(await completeJob(fleet, TRAIN, { ...PAGE, result })).toMatchObject({ ok: true, state: "DONE", replay: true });
    expect(fleet.text()).toBe(before);
  },
);

test("the same result with other spelling of keys and numbers is the same", async () => {
  await completeJob(fleet, TRAIN, { ...PAGE, result: { kind: "page", n: 1 } });
  const again = { ...PAGE, result: { n: 1n, kind: "page" } };
  expect(await completeJob(fleet, TRAIN, again)).toMatchObject({ ok: true, replay: true });
});

describe("otherwise a terminal job stays what it is", () => {
  test("DONE with another result", async () => {
    await completeJob(fleet, TRAIN, PAGE);
    expect(await refused({ ...PAGE, result: { kind: "report" } })).toBe("DONE");
  });

  test("CANCELLED", async () => {
    await cancelJob(fleet, TRAIN, "enough");
    expect(await refused()).toBe("CANCELLED");
  });
});

describe("NOT_DURABLE, and nothing changes", () => {
  test("where the page does not stand", async () => {
    fleet.pages.durable.clear();
    expect(await refused()).toBe("NOT_DURABLE");
  });

  test.each(["claimed", "Sent", "PR-open", "accepted", "2xx", "carrier_2xx"])("for a result of kind %s", async (kind) => {
    expect(await refused({ ...PAGE, result: { kind } })).toBe("NOT_DURABLE");
    expect(await refused({ ...PAGE, result: { status: kind } })).toBe("NOT_DURABLE");
  });
});

test("a claimant whose job was completed by its owner is answered DONE, refused", async () => {
  const claim = await fleet.atWork();
  await completeJob(fleet, TRAIN, PAGE);
  const before = fleet.text();
  expect(await finishDelivery(fleet, claim, { workerId: WORKER })).toMatchObject({ ok: false, state: "DONE" });
  expect(fleet.text()).toBe(before);
});

test("no such job is NOT_FOUND", async () => {
  expect(await completeJob(fleet, "harbor-other-0001", PAGE)).toMatchObject({ ok: false, state: "NOT_FOUND" });
});

test("wrong use is SCHEMA, and where git cannot say it is TRUTH_UNAVAILABLE", async () => {
  const before = fleet.text();
  await expect(completeJob(fleet, TRAIN, { ...PAGE, resultAddress: "../x" })).rejects.toMatchObject({ code: "SCHEMA" });
  await expect(completeJob(fleet, TRAIN, { ...PAGE, result: Number.NaN })).rejects.toMatchObject({ code: "SCHEMA" });
  fleet.pages.failure = noGit();
  await expect(completeJob(fleet, TRAIN, PAGE)).rejects.toMatchObject({ code: "TRUTH_UNAVAILABLE" });
  expect(fleet.text()).toBe(before);
});
