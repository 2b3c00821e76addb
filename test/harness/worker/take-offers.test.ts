import { readdirSync } from "node:fs";
import { beforeEach, expect, test } from "vitest";
import { AttemptRecords } from "../../../src/harness/worker/attempt-record.ts";
import { OfferTaker } from "../../../src/harness/worker/take-offers.ts";
import { MemoryFleet, WORKER } from "../../support/memory-fleet.ts";
import { NOON } from "../../support/noon.ts";
import { tempDirectory } from "../../support/temp-directory.ts";

let fleet: MemoryFleet;
let directory: string;
let taker: OfferTaker;

beforeEach(() => {
  fleet = new MemoryFleet();
  directory = tempDirectory();
  taker = new OfferTaker(fleet, { workerId: WORKER, harness: "script" }, fleet.clock, new AttemptRecords(directory));
});

test("an offer to this harness is found and claimed, and what is another's, or a broken file, is passed over", async () => {
  fleet.put();
  fleet.put({ harness: "codex" }, "harbor-codex-0001");
  await fleet.deliver();
  fleet.texts.set("harbor-broken-0001", "{");
  const { mails, clockBehind } = await taker.look();
  expect(mails.map(({ harness }) => harness)).toEqual(["script"]);
  expect(clockBehind).toBe(0);
  for (const mail of mails) expect(await taker.take(mail)).toMatchObject({ claim: { state: "CLAIMED" } });
  expect(readdirSync(directory)).toEqual(["harbor-train-0001-a01.json"]);
});

test("where another was faster nothing is taken, and nothing is left to remember", async () => {
  fleet.put();
  await fleet.deliver();
  const { mails } = await taker.look();
  await fleet.claim("worker-two");
  for (const mail of mails) expect(await taker.take(mail)).toBeUndefined();
  expect(readdirSync(directory)).toEqual([]);
});

test("an offer of the future is left alone, since this machine's clock is behind: its leases would end too soon", async () => {
  fleet.put();
  await fleet.deliver();
  fleet.clock.set(NOON - 60);
  expect(await taker.look()).toEqual({ mails: [], clockBehind: 60 });
});
