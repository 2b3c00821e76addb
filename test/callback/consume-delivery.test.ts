import { beforeEach, describe, expect, test } from "vitest";
import { type ConsumeOptions, consumeDelivery } from "../../src/callback/consume-delivery.ts";
import type { ClaimRef } from "../../src/callback/decide-on-claim.ts";
import { failDelivery } from "../../src/callback/fail-delivery.ts";
import { finishDelivery } from "../../src/callback/finish-delivery.ts";
import { renewDelivery } from "../../src/callback/renew-delivery.ts";
import { formatMail, type WakeMail } from "../../src/mail/wake-mail.ts";
import { blockJob, cancelJob, releaseJob } from "../../src/owner/change-job.ts";
import { TRAIN } from "../support/job-builder.ts";
import { MemoryFleet, WORKER } from "../support/memory-fleet.ts";
import { atNoon, NOON } from "../support/noon.ts";

let fleet: MemoryFleet;

beforeEach(() => {
  fleet = new MemoryFleet();
});

/** The answer's state, once it is certain that the call changed no job and let no model run. */
async function refused(mail: unknown, caller: ConsumeOptions = { workerId: "worker-two" }): Promise<string> {
  const before = new Map(fleet.texts);
  const answer = await consumeDelivery(fleet, mail, caller);
  expect(fleet.texts).toEqual(before);
  expect(answer.invoke_model).toBe(false);
  expect(answer.ok).toBe(answer.state === "REPLAY" || answer.state.endsWith("_HOLD"));
  return answer.state;
}

async function offered(fields: Readonly<Record<string, unknown>> = {}): Promise<WakeMail> {
  fleet.put(fields);
  await fleet.deliver();
  return fleet.mail();
}

describe("CLAIMED", () => {
  test("passes the lease to the worker, and leaves checkpoint and ACK where they were", async () => {
    const mail = await offered({ checkpoint: { step: 4, note: "as it was" }, budget_tokens: 500, tokens_used: 20 });
    const before = await fleet.job();
    fleet.clock.step(60);

    const answer = await consumeDelivery(fleet, mail, { workerId: WORKER });

    const lease = { lease_id: before.lease?.lease_id, holder: WORKER, until: atNoon(960) };
    expect(answer).toEqual({
      ok: true,
      state: "CLAIMED",
      invoke_model: true,
      job_id: TRAIN,
      attempt_id: `${TRAIN}-a01`,
      claim_id: expect.stringMatching(/^claim-/),
      step: 5,
      lease,
      lease_seconds: 900,
      checkpoint: { step: 4, note: "as it was" },
      instructions: "",
      objective: before.objective,
      deadline: before.deadline,
      tokens_left: 480,
      completion_predicate: before.completion_predicate,
      result_address: before.result_address,
    });
    const after = await fleet.job();
    expect(after).toMatchObject({ status: "LEASED", lease, checkpoint: before.checkpoint, attempt_count: 1 });
    const added = after.event_receipts.slice(before.event_receipts.length);
    expect(added).toMatchObject([{ event: "delivery_claim", attempt_id: `${TRAIN}-a01`, worker_id: WORKER, ts: atNoon(60) }]);
    expect(added[0]?.["claim_id"]).toBe(answer.invoke_model && answer.claim_id);
  });

  test("is answered to the text of a mail as to its record", async () => {
    const mail = await offered();
    expect(await consumeDelivery(fleet, formatMail(mail), { workerId: WORKER })).toMatchObject({ state: "CLAIMED" });
  });

  test("needs no mail that was sent: the one that a polling harness finds in the store is as good", async () => {
    fleet.put();
    await fleet.tick();
    expect(fleet.mailer.sent).toEqual([]);
    expect(await fleet.claim()).toMatchObject({ state: "CLAIMED" });
  });

  test("sets unclaimed_count to 0", async () => {
    fleet.put();
    await fleet.deliver();
    fleet.clock.step(900);
    await fleet.deliver();
    expect(await fleet.job()).toMatchObject({ unclaimed_count: 1 });
    fleet.clock.step(120);
    await fleet.deliver();
    await fleet.claim();
    expect(await fleet.job()).toMatchObject({ unclaimed_count: 0 });
  });

  test("draws a claim_id of its own for every claim", async () => {
    const first = await fleet.atWork();
    await failDelivery(fleet, first, { workerId: WORKER, detail: "gave up" });
    await fleet.deliver();
    fleet.clock.step(3600);
    await fleet.deliver();
    const second = await fleet.claim();
    expect(second.attempt_id).toBe(`${TRAIN}-a02`);
    expect(second.claim_id).not.toBe(first.claim_id);
  });

  test.each([
    ["behind", -1200, 900],
    ["behind a long lease", -1200, 7200],
    ["ahead within a long lease", 1200, 7200],
  ])("by a claimant whose clock is 20 minutes %s shortens no lease", async (_where, skew, lease_seconds) => {
    const mail = await offered({ lease_seconds });
    fleet.clock.step(skew);
    const answer = await consumeDelivery(fleet, mail, { workerId: WORKER });
    expect(answer).toMatchObject({ state: "CLAIMED", lease: { until: atNoon(lease_seconds + Math.max(skew, 0)) } });
  });

  test("hands out integers beyond 2^53 as bigint and numbers beyond JavaScript as Infinity", async () => {
    const [id, huge, tiny] = ["1234567890123456789", "1e400", "1.0"].map((text) => JSON.rawJSON(text));
    fleet.put({ checkpoint: { id, huge, tiny, step: 0 } });
    await fleet.deliver();
    expect((await fleet.claim()).checkpoint).toEqual({
      id: 1234567890123456789n,
      huge: Number.POSITIVE_INFINITY,
      tiny: 1,
      step: 0,
    });
  });
});

describe("what is refused, and that nothing changes", () => {
  test.each([
    ["nothing", undefined],
    ["null", null],
    ["text that is no JSON", "{"],
    ["an empty record", {}],
    ["a number", 7],
  ])("NO_MAIL: %s", async (_what, mail) => {
    await offered();
    expect(await refused(mail)).toBe("NO_MAIL");
  });

  test.each([
    ["from somebody else", { from: "SOMEBODY" }],
    ["whose id is not its job_id", { id: "harbor-other-0001" }],
    ["whose job_id would leave the directory", { id: "../../etc/passwd", job_id: "../../etc/passwd" }],
    ["of another job's attempt", { attempt_id: "harbor-other-0001-a01" }],
    ["whose attempt_id is its job_id", { attempt_id: TRAIN }],
    ["whose attempt number is not written in two digits", { attempt_id: `${TRAIN}-a1` }],
    ["whose attempt number has a digit too many", { attempt_id: `${TRAIN}-a001` }],
  ])("NO_MAIL: a mail %s", async (_what, change) => {
    const mail = await offered();
    expect(await refused({ ...mail, ...change })).toBe("NO_MAIL");
  });

  test("NO_MAIL: a mail whose fields throw when they are read", async () => {
    const mail = await offered();
    const trap = Object.defineProperty({ ...mail }, "attempt_id", {
      get() {
        throw new Error("trap");
      },
    });
    expect(await refused(trap)).toBe("NO_MAIL");
  });

  test("NOT_FOUND: no such job", async () => {
    const mail = await offered();
    const other = { ...mail, id: "harbor-other-0001", job_id: "harbor-other-0001", attempt_id: "harbor-other-0001-a01" };
    expect(await refused(other)).toBe("NOT_FOUND");
  });

  test.each([
    ["the job's harness", { harness: "Cursor-Agent" }, {}, {}],
    ["the mail's harness", {}, { harness: "GROK_BOT" }, {}],
    ["the caller's harness", {}, {}, { harness: "issue-1316 doorbell" }],
    ["the caller's worker_id", {}, {}, { workerId: "cursor-worker-7" }],
  ])("the hold's state: it covers %s", async (_whose, job, mail, caller) => {
    const offer = await offered();
    fleet.edit(job);
    expect(await refused({ ...offer, ...mail }, { workerId: WORKER, ...caller })).toBe("CURSOR_QUOTA_HOLD");
  });

  test("REPLAY: this attempt was claimed already, by whomever", async () => {
    const mail = await offered();
    await consumeDelivery(fleet, mail, { workerId: WORKER });
    expect(await refused(mail, { workerId: "worker-two" })).toBe("REPLAY");
    expect(await refused(mail, { workerId: WORKER })).toBe("REPLAY");
  });

  test("REPLAY: this attempt was claimed, and finished or failed since", async () => {
    const mail = await offered();
    const claim = await fleet.claim();
    await finishDelivery(fleet, claim, { workerId: WORKER });
    expect(await refused(mail)).toBe("REPLAY");
    await fleet.deliver();
    const second = await fleet.mail();
    await failDelivery(fleet, await fleet.claim(), { workerId: WORKER, detail: "gave up" });
    expect(await refused(second)).toBe("REPLAY");
  });

  test.each(["DONE", "CANCELLED", "EXHAUSTED"])("%s: the job ended so", async (status) => {
    const mail = await offered();
    fleet.edit({ status, lease: null });
    expect(await refused(mail)).toBe(status);
  });

  test("REPLAY, but for the claim itself whose answer was lost: CLAIMED again with the claim_id that its caller drew", async () => {
    const mail = await offered();
    const mine = { workerId: WORKER, claimId: "claim-drawn-by-me-1" };
    const first = await consumeDelivery(fleet, mail, mine);
    expect(first).toMatchObject({ state: "CLAIMED", claim_id: mine.claimId });
    const before = fleet.text();
    expect(await consumeDelivery(fleet, mail, mine)).toEqual({ ...first, replay: true });
    expect(fleet.text()).toBe(before);
    expect(await refused(mail, { ...mine, workerId: "worker-two" })).toBe("REPLAY");
    expect(await refused(mail, { ...mine, claimId: "claim-drawn-by-me-2" })).toBe("REPLAY");
  });

  test.each<[string, (claim: ClaimRef) => Promise<unknown>]>([
    ["it was renewed", (claim) => renewDelivery(fleet, claim, { workerId: WORKER })],
    ["it reported", (claim) => renewDelivery(fleet, claim, { workerId: WORKER, tokensUsed: 1 })],
    ["it failed", (claim) => failDelivery(fleet, claim, { workerId: WORKER, detail: "gave up" })],
    ["its lease is over", async () => fleet.clock.step(900)],
    ["it was released", () => releaseJob(fleet, TRAIN)],
  ])("REPLAY for the same claim_id once %s: a model may run once", async (_why, befall) => {
    const mail = await offered();
    const mine = { workerId: WORKER, claimId: "claim-drawn-by-me-1" };
    const first = await consumeDelivery(fleet, mail, mine);
    if (!first.invoke_model) throw new Error(first.state);
    await befall(first);
    expect(await refused(mail, mine)).toBe("REPLAY");
  });

  test.each(["", "short", "has a space in it", "x".repeat(201)])(
    "a claimId that is no random id is SCHEMA: %j",
    async (claimId) => {
      await expect(consumeDelivery(fleet, await offered(), { workerId: WORKER, claimId })).rejects.toMatchObject({
        code: "SCHEMA",
        field: "claimId",
      });
    },
  );

  test("STALE_ATTEMPT: a later attempt was minted", async () => {
    fleet.put({ max_attempts: 5 });
    await fleet.tick();
    const mail = await fleet.mail();
    fleet.clock.step(900);
    fleet.edit({ checkpoint: { step: 9 } });
    await fleet.tick();
    expect(await fleet.job()).toMatchObject({ attempt_count: 2 });
    expect(await refused(mail)).toBe("STALE_ATTEMPT");
  });

  test("STALE_ATTEMPT: an attempt that was not minted yet", async () => {
    const mail = await offered();
    expect(await refused({ ...mail, attempt_id: `${TRAIN}-a02` })).toBe("STALE_ATTEMPT");
  });

  test("STALE_ATTEMPT: its lease is over, from the second at which it ends", async () => {
    const mail = await offered();
    fleet.clock.set(NOON + 900);
    expect(await refused(mail)).toBe("STALE_ATTEMPT");
    fleet.clock.set(NOON + 899);
    expect(await consumeDelivery(fleet, mail, { workerId: WORKER })).toMatchObject({ state: "CLAIMED" });
  });

  test("STALE_ATTEMPT: its lease went by while the claim waited for its turn", async () => {
    const mail = await offered({ lease_seconds: 30 });
    const { store, clock } = fleet;
    fleet.store = {
      kind: "file",
      scan: () => store.scan(),
      read: (jobId) => store.read(jobId),
      transact: (jobIds, step) => {
        clock.step(31);
        return store.transact(jobIds, step);
      },
    };
    expect(await refused(mail)).toBe("STALE_ATTEMPT");
  });

  test("STALE_ATTEMPT: a tick backed off from it", async () => {
    const mail = await offered();
    fleet.clock.step(900);
    await fleet.deliver();
    expect(await refused(mail)).toBe("STALE_ATTEMPT");
  });

  test("STALE_ATTEMPT: the lease on the job is not the latest offer's", async () => {
    const mail = await offered();
    const { lease } = await fleet.job();
    fleet.edit({ lease: { ...lease, lease_id: "lease-of-somebody" } });
    expect(await refused(mail)).toBe("STALE_ATTEMPT");
  });

  test("STALE_ATTEMPT: the checkpoint is not the woken one", async () => {
    const mail = await offered();
    fleet.edit({ checkpoint: { step: 1 } });
    expect(await refused(mail)).toBe("STALE_ATTEMPT");
  });

  test("DEADLINE: it has come, though no tick has said so", async () => {
    const mail = await offered({ deadline: atNoon(300) });
    fleet.clock.step(300);
    expect(await refused(mail)).toBe("DEADLINE");
  });

  test("BUDGET: it is used up, though no tick has said so", async () => {
    const mail = await offered({ budget_tokens: 1000 });
    fleet.edit({ tokens_used: 1000 });
    expect(await refused(mail)).toBe("BUDGET");
  });

  test.each([
    ["status", { status: "BLOCKED" }],
    ["blocker", { blocker: { kind: "external_authority", detail: "no key", fingerprint: "0123456789abcdef" } }],
  ])("BLOCKED: by its %s, though no tick has said so", async (_how, blocked) => {
    const mail = await offered();
    fleet.edit(blocked);
    expect(await refused(mail)).toBe("BLOCKED");
  });

  test("BLOCKED: the owner blocked the job", async () => {
    const mail = await offered();
    await blockJob(fleet, TRAIN, "unavailable_state", "the dock is closed");
    expect(await refused(mail)).toBe("BLOCKED");
  });
});

describe("the order: the first match wins", () => {
  /** What makes each answer true of a claimed, mailed attempt, in the order of the contract. */
  const FAULTS: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
    ["CURSOR_QUOTA_HOLD", { harness: "cursor" }],
    ["REPLAY", {}],
    ["CANCELLED", { status: "CANCELLED" }],
    ["STALE_ATTEMPT", { checkpoint: { step: 77 } }],
    ["DEADLINE", { deadline: atNoon(-1) }],
    ["BUDGET", { tokens_used: 1_000_000 }],
    ["BLOCKED", { status: "BLOCKED" }],
  ];

  for (const [rank, [state]] of FAULTS.entries()) {
    test(`${state} comes before everything after it`, async () => {
      const mail = await offered();
      const isAtReplay = FAULTS.findIndex(([name]) => name === "REPLAY") >= rank;
      if (isAtReplay) await consumeDelivery(fleet, mail, { workerId: WORKER });
      // The later faults first, so that where two write one field the earlier one stands.
      for (const [, fields] of FAULTS.slice(rank).reverse()) fleet.edit(fields);
      expect(await refused(mail)).toBe(state);
    });
  }

  test("NO_MAIL comes before the hold, and NOT_FOUND too", async () => {
    const mail = await offered();
    fleet.edit({ harness: "cursor" });
    expect(await refused({ ...mail, from: "SOMEBODY" })).toBe("NO_MAIL");
    fleet.texts.clear();
    expect(await refused(mail, { workerId: "cursor" })).toBe("NOT_FOUND");
  });
});

test("a worker's name that could not stand in a receipt is wrong use: SCHEMA", async () => {
  const mail = await offered();
  for (const workerId of ["", "two\nlines", "x".repeat(201), "ü"]) {
    await expect(consumeDelivery(fleet, mail, { workerId })).rejects.toMatchObject({ code: "SCHEMA", field: "workerId" });
  }
});

test("claim, then cancel, then finish: stays CANCELLED", async () => {
  const claim = await fleet.atWork();
  await cancelJob(fleet, TRAIN, "the owner changed their mind");
  const before = fleet.text();
  fleet.pages.durable.add(TRAIN);
  const answer = await finishDelivery(fleet, claim, { workerId: WORKER, result: { kind: "page" }, tokensUsed: 5 });
  expect(answer).toMatchObject({ ok: false, state: "CANCELLED", invoke_model: false });
  expect(fleet.text()).toBe(before);
});

test("of many that consume one mail at once, exactly one is answered CLAIMED and the others REPLAY", async () => {
  const mail = await offered();
  const workers = Array.from({ length: 20 }, (_, i) => `worker-${i}`);
  const answers = await Promise.all(workers.map((workerId) => consumeDelivery(fleet, mail, { workerId })));
  expect(answers.map(({ state }) => state).sort()).toEqual(["CLAIMED", ...Array<string>(19).fill("REPLAY")]);
  expect(await fleet.receipts("delivery_claim")).toHaveLength(1);
});
