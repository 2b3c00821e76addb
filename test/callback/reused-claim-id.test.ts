import { beforeEach, expect, test } from "vitest";
import {
  type Claimed,
  type ClaimRef,
  consumeDelivery,
  failDelivery,
  finishDelivery,
  renewDelivery,
} from "../../src/callback/index.ts";
import { MemoryFleet, WORKER } from "../support/memory-fleet.ts";

const CALLER = { workerId: WORKER };

let fleet: MemoryFleet;
let second: ClaimRef;

/** A worker that drew one claim_id and gives it with every claim. */
async function claimAgain(): Promise<Claimed<object, unknown>> {
  const answer = await consumeDelivery(fleet, await fleet.mail(), { ...CALLER, claimId: "drawn-once-by-me" });
  if (!answer.invoke_model) throw new Error(`the claim was answered ${answer.state}`);
  return answer;
}

beforeEach(async () => {
  fleet = new MemoryFleet();
  fleet.put({ result_address: "" });
  await fleet.deliver();
  const first = await claimAgain();
  await finishDelivery(fleet, first, { ...CALLER, checkpoint: { step: 1 }, tokensUsed: 10 });
  await fleet.deliver();
  second = await claimAgain();
  expect(second.attempt_id).not.toBe(first.attempt_id);
});

test("a report is noted on the receipt of its own attempt, where two attempts were claimed under one claim_id", async () => {
  await renewDelivery(fleet, second, { ...CALLER, tokensUsed: 5 });
  const noted = (await fleet.receipts("delivery_claim")).map(({ attempt_id, tokens_used }) => [
    attempt_id.slice(-3),
    tokens_used,
  ]);
  expect(noted).toEqual([
    ["a01", 10],
    ["a02", 5],
  ]);
  expect((await fleet.job()).tokens_used).toBe(15);
});

test("the same outcome as an earlier attempt's under one claim_id is a finish of its own, not a replay", async () => {
  const answer = await finishDelivery(fleet, second, { ...CALLER, checkpoint: { step: 1 } });
  expect(answer).toMatchObject({ state: "CHECKPOINT", attempt_id: second.attempt_id });
  expect(answer).not.toHaveProperty("replay");
  expect((await fleet.job()).lease).toBeNull();
});

test("another outcome than an earlier attempt's under one claim_id is kept", async () => {
  expect(await finishDelivery(fleet, second, { ...CALLER, checkpoint: { step: 2 } })).toMatchObject({ state: "CHECKPOINT" });
  expect((await fleet.job()).checkpoint["step"]).toBe(2);
});

test("giving up as an earlier attempt did under one claim_id gives this attempt up", async () => {
  await failDelivery(fleet, second, { ...CALLER, detail: "no luck" });
  fleet.clock.step(120);
  await fleet.deliver();
  fleet.clock.step(3600);
  await fleet.deliver();
  const third = await claimAgain();
  expect(third.attempt_id).not.toBe(second.attempt_id);
  expect(await failDelivery(fleet, third, { ...CALLER, detail: "no luck" })).not.toHaveProperty("replay");
  expect((await fleet.job()).lease).toBeNull();
});
