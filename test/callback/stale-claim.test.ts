import { beforeEach, describe, expect, test } from "vitest";
import type { Answer } from "../../src/answer.ts";
import type { ClaimRef } from "../../src/callback/decide-on-claim.ts";
import { failDelivery } from "../../src/callback/fail-delivery.ts";
import { finishDelivery } from "../../src/callback/finish-delivery.ts";
import { renewDelivery } from "../../src/callback/renew-delivery.ts";
import type { Fleet } from "../../src/fleet.ts";
import { cancelJob, releaseJob } from "../../src/owner/change-job.ts";
import { TRAIN } from "../support/job-builder.ts";
import { MemoryFleet, WORKER } from "../support/memory-fleet.ts";
import { refusalOf } from "../support/refusal-of.ts";

interface Caller {
  readonly workerId: string;
  readonly harness?: string;
}

/** A call that a claimant makes, and what it is told when its claim does not stand (contract §6). */
interface ClaimantsCall {
  readonly name: string;
  readonly stale: "LEASE_LOST" | "STALE_ATTEMPT";
  readonly make: (fleet: Fleet, claim: ClaimRef, caller: Caller) => Promise<Answer>;
}

const RENEW: ClaimantsCall = {
  name: "renewDelivery",
  stale: "LEASE_LOST",
  make: (fleet, claim, caller) => renewDelivery(fleet, claim, { tokensUsed: 7, ...caller }),
};
const FINISH: ClaimantsCall = {
  name: "finishDelivery",
  stale: "STALE_ATTEMPT",
  make: (fleet, claim, caller) => finishDelivery(fleet, claim, { tokensUsed: 7, ...caller }),
};
const FAIL: ClaimantsCall = {
  name: "failDelivery",
  stale: "STALE_ATTEMPT",
  make: (fleet, claim, caller) => failDelivery(fleet, claim, { tokensUsed: 7, detail: "the model refused", ...caller }),
};

const ME: Caller = { workerId: WORKER };

let fleet: MemoryFleet;
beforeEach(() => {
  fleet = new MemoryFleet();
});

describe.each([RENEW, FINISH, FAIL])("$name changes nothing and says why", ({ make, stale }) => {
  const answer = (claim: ClaimRef, caller: Caller = ME): Promise<string> => refusalOf(fleet, () => make(fleet, claim, caller));

  test("with another claim_id, for another attempt, or under another worker's name", async () => {
    const claim = await fleet.atWork();
    expect(await answer({ ...claim, claim_id: "claim-guessed" })).toBe(stale);
    expect(await answer({ ...claim, attempt_id: `${TRAIN}-a02` })).toBe(stale);
    expect(await answer(claim, { workerId: "worker-two" })).toBe(stale);
  });

  test("for an attempt that was never claimed", async () => {
    fleet.put();
    await fleet.deliver();
    expect(await answer({ job_id: TRAIN, attempt_id: `${TRAIN}-a01`, claim_id: "claim-guessed" })).toBe(stale);
  });

  test("for no such job: NOT_FOUND", async () => {
    expect(await answer({ ...(await fleet.atWork()), job_id: "harbor-other-0001" })).toBe("NOT_FOUND");
  });

  test("where a hold covers the job's harness, or the caller's: the hold's state", async () => {
    const claim = await fleet.atWork();
    expect(await answer(claim, { ...ME, harness: "Cursor CLI" })).toBe("CURSOR_QUOTA_HOLD");
    fleet.edit({ harness: "cursor" });
    expect(await answer(claim)).toBe("CURSOR_QUOTA_HOLD");
  });

  test.each([FINISH, FAIL].filter((call) => call.make !== make))("after $name", async ({ make: end }) => {
    const claim = await fleet.atWork();
    expect(await end(fleet, claim, ME)).toMatchObject({ ok: true });
    expect(await answer(claim)).toBe(stale);
  });

  test.each([WORKER, "worker-two"])("of attempt 1 after attempt 2 was offered, and claimed by %s", async (other) => {
    const first = await fleet.atWork();
    fleet.clock.step(900);
    await fleet.deliver();
    fleet.clock.step(3600);
    await fleet.deliver();
    expect(await answer(first)).toBe(stale);
    const second = await fleet.claim(other);
    expect(second.attempt_id).toBe(`${TRAIN}-a02`);
    expect(await answer(first)).toBe(stale);
    expect(await finishDelivery(fleet, second, { workerId: other })).toMatchObject({ state: "CHECKPOINT" });
    expect(await answer(first)).toBe(stale);
  });

  test("after the owner moved the checkpoint, or released the claim", async () => {
    const claim = await fleet.atWork();
    fleet.edit({ checkpoint: { step: 1 } });
    expect(await answer(claim)).toBe(stale);
    fleet.edit({ checkpoint: { step: 0 } });
    await releaseJob(fleet, TRAIN);
    expect(await answer(claim)).toBe(stale);
  });

  test("after the job ended: its status", async () => {
    const claim = await fleet.atWork();
    for (const status of ["EXHAUSTED", "DONE"]) {
      fleet.edit({ status, lease: null });
      expect(await answer(claim)).toBe(status);
    }
    fleet.edit({ status: "LEASED" });
    await cancelJob(fleet, TRAIN, "enough");
    expect(await answer(claim)).toBe("CANCELLED");
  });

  test.each(["job_id", "attempt_id", "claim_id"])("for a claim without %s: SCHEMA", async (field) => {
    const claim = { ...(await fleet.atWork()), [field]: undefined } as unknown as ClaimRef;
    await expect(make(fleet, claim, ME)).rejects.toMatchObject({ code: "SCHEMA", field });
  });
});
