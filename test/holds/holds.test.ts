import { beforeEach, describe, expect, test } from "vitest";
import { consumeDelivery } from "../../src/callback/consume-delivery.ts";
import { failDelivery } from "../../src/callback/fail-delivery.ts";
import { finishDelivery } from "../../src/callback/finish-delivery.ts";
import { renewDelivery } from "../../src/callback/renew-delivery.ts";
import type { Fleet } from "../../src/fleet.ts";
import { ownersHolds, rulesInForce } from "../../src/holds/holds.ts";
import { CURSOR_QUOTA_HOLD } from "../../src/job/hold.ts";
import { MemoryJobStore } from "../../src/store/memory-job-store.ts";
import { runTick } from "../../src/wake/run-tick.ts";
import { TRAIN } from "../support/job-builder.ts";
import { MemoryFleet, verdict, WORKER } from "../support/memory-fleet.ts";
import { noHolds } from "../support/no-holds.ts";

const NIGHT_HOLD = { name: "NIGHT_HOLD", match: ["script"], note: "not at night" } as const;

describe("a fleet that a caller puts together from parts cannot leave the built-in hold out", () => {
  let opened: MemoryFleet;
  beforeEach(() => {
    opened = new MemoryFleet();
    opened.rules = [];
    opened.put({ harness: "cursor" });
  });

  const untypedList: unknown = [];
  const PARTS: Readonly<Record<string, () => Partial<Fleet>>> = {
    "holds of its own": () => ({ holds: noHolds }),
    "a list, from a caller without types": () => ({ holds: untypedList as Fleet["holds"] }),
    "a built-in hold that covers nothing": () => ({ holds: { inForce: async () => [{ ...CURSOR_QUOTA_HOLD, match: [] }] } }),
    "the lifted holds of another fleet": () => ({ holds: new MemoryFleet().holds }),
    "another store": () => ({ store: new MemoryJobStore(opened.texts), holds: opened.holds }),
  };

  test.each(Object.entries(PARTS))("%s", async (_, parts) => {
    const { store, pages, holds, clock, ids } = opened;
    const fleet: Fleet = { store, pages, holds, clock, ids, ...parts() };
    expect(verdict(await runTick(fleet, { workerId: WORKER }))).toBe("HOLD CURSOR_QUOTA_HOLD");
    await opened.tick();
    const mail = await opened.mail();
    const claim = { job_id: TRAIN, attempt_id: mail.attempt_id, claim_id: "claim-0" };
    for (const answer of [
      await consumeDelivery(fleet, mail, { workerId: WORKER }),
      await renewDelivery(fleet, claim, { workerId: WORKER }),
      await finishDelivery(fleet, claim, { workerId: WORKER }),
      await failDelivery(fleet, claim, { workerId: WORKER, detail: "" }),
    ]) {
      expect(answer).toMatchObject({ ok: true, state: "CURSOR_QUOTA_HOLD", invoke_model: false });
    }
  });

  test("nor can it be edited out of what a fleet hands over", async () => {
    const { holds } = opened;
    expect(() => Object.assign(holds, { inForce: async () => [] })).toThrow(TypeError);
    expect(() => Object.assign(CURSOR_QUOTA_HOLD, { match: [] })).toThrow(TypeError);
    expect(() => Object.assign(CURSOR_QUOTA_HOLD.match, { length: 0 })).toThrow(TypeError);
  });
});

test("the holds of the owner's config lift the built-in one for the store that they were opened with", async () => {
  const store = new MemoryJobStore();
  const holds = ownersHolds(store, async () => [NIGHT_HOLD]);
  expect(await rulesInForce({ store, holds })).toEqual([NIGHT_HOLD]);
  expect(await rulesInForce({ store: new MemoryJobStore(), holds })).toEqual([CURSOR_QUOTA_HOLD, NIGHT_HOLD]);
});

test("holds are asked for by each call: one that comes while a fleet is open stops the next claim", async () => {
  const fleet = new MemoryFleet();
  fleet.put();
  await fleet.tick();
  fleet.rules = [NIGHT_HOLD];
  expect(await consumeDelivery(fleet, await fleet.mail(), { workerId: WORKER })).toMatchObject({ state: "NIGHT_HOLD" });
});
