import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import type { ClaimRef } from "../../src/callback/decide-on-claim.ts";
import { failDelivery } from "../../src/callback/fail-delivery.ts";
import { type FinishOptions, finishDelivery } from "../../src/callback/finish-delivery.ts";
import { renewDelivery } from "../../src/callback/renew-delivery.ts";
import { blockJob, cancelJob } from "../../src/owner/change-job.ts";
import { noGit } from "../support/fake-pages.ts";
import { TRAIN } from "../support/job-builder.ts";
import { MemoryFleet, verdict, WORKER } from "../support/memory-fleet.ts";
import { atNoon, NOON } from "../support/noon.ts";
import { refusalOf } from "../support/refusal-of.ts";

let fleet: MemoryFleet;

beforeEach(() => {
  fleet = new MemoryFleet();
});

type Outcome = Partial<FinishOptions>;

function finish(claim: ClaimRef, outcome: Outcome = {}) {
  return finishDelivery(fleet, claim, { workerId: WORKER, ...outcome });
}

function refused(claim: ClaimRef, outcome: Outcome = {}): Promise<string> {
  return refusalOf(fleet, () => finish(claim, { tokensUsed: 7, ...outcome }));
}

const STEP_3 = { type: "checkpoint_equals", value: 3 };
const PAGE_ON_HEAD = { type: "result_address_on_head" };
const PAGE = { kind: "page", words: 300 };

describe("nonterminal", () => {
  test("one write commits checkpoint, receipts checkpoint and ack, OPEN, lease null, next_wake_at now", async () => {
    const claim = await fleet.atWork();
    const { event_receipts: before } = await fleet.job();
    fleet.clock.step(300);

    expect(await finish(claim, { checkpoint: { step: 7, found: ["a"] }, tokensUsed: 30 })).toEqual({
      ok: true,
      state: "CHECKPOINT",
      invoke_model: false,
      job_id: TRAIN,
      attempt_id: claim.attempt_id,
      step: 7,
      next_wake_at: atNoon(300),
    });

    const job = await fleet.job();
    expect(job).toMatchObject({
      checkpoint: { step: 7, found: ["a"] },
      status: "OPEN",
      lease: null,
      next_wake_at: atNoon(300),
      tokens_used: 30,
      updated_at: atNoon(300),
    });
    const added = job.event_receipts.slice(before.length);
    expect(added.map(({ event }) => event)).toEqual(["checkpoint", "ack"]);
    expect(added).toMatchObject([{ attempt_id: claim.attempt_id }, { attempt_id: claim.attempt_id, outcome_sha256: SHA256 }]);
  });

  const SHA256 = expect.stringMatching(/^[0-9a-f]{64}$/);

  test("nextWakeAt is when the next attempt may start", async () => {
    const claim = await fleet.atWork();
    expect(await finish(claim, { nextWakeAt: "2026-12-01T01:00:00+01:00" })).toMatchObject({
      next_wake_at: "2026-12-01T00:00:00Z",
    });
    expect(verdict(await fleet.deliver())).toBe("STOP NOT_DUE");
    fleet.clock.set(NOON + 43_200);
    expect(verdict(await fleet.deliver())).toBe("WAKE RUNNABLE");
  });

  test("a checkpoint that differs sets no_progress_count to 0, one that does not leaves it", async () => {
    const claim = await fleet.atWork();
    fleet.edit({ no_progress_count: 3 });
    await finish(claim, { checkpoint: { step: 0 } });
    expect(await fleet.job()).toMatchObject({ no_progress_count: 3 });
    fleet.edit({ in_backoff: true });
    await fleet.deliver();
    await finish(await fleet.claim(), { checkpoint: { step: 1 } });
    expect(await fleet.job()).toMatchObject({ no_progress_count: 0 });
  });

  test("a lease that ran out and that nobody took over can still be finished", async () => {
    const claim = await fleet.atWork();
    fleet.clock.step(50_000);
    expect(await finish(claim)).toMatchObject({ state: "CHECKPOINT" });
  });

  test("result_address_on_head whose page is not there is no end, and no fault", async () => {
    const claim = await fleet.atWork({ completion_predicate: PAGE_ON_HEAD });
    expect(await finish(claim)).toMatchObject({ ok: true, state: "CHECKPOINT" });
    expect(fleet.pages.asked).not.toEqual([]);
  });

  test("without a result or a predicate that is met, git is not asked", async () => {
    fleet.pages.durable.add(TRAIN);
    const claim = await fleet.atWork({ completion_predicate: STEP_3 });
    expect(await finish(claim)).toMatchObject({ state: "CHECKPOINT" });
    expect(fleet.pages.asked).toEqual([]);
  });

  test("where git cannot say whether the page stands, a finish without a result is no end: the next tick completes it", async () => {
    const claim = await fleet.atWork({ completion_predicate: PAGE_ON_HEAD });
    fleet.pages.failure = noGit();
    expect(await finish(claim)).toMatchObject({ ok: true, state: "CHECKPOINT" });
  });

  test("a blocker blocks the job and moves no checkpoint that it does not give", async () => {
    const claim = await fleet.atWork({ completion_predicate: STEP_3, checkpoint: { step: 2 } });
    const blocker = { kind: "external_authority", detail: "needs a key" } as const;
    expect(await finish(claim, { blocker, tokensUsed: 5 })).toMatchObject({ ok: true, state: "CHECKPOINT", step: 2 });
    const job = await fleet.job();
    expect(job).toMatchObject({ status: "BLOCKED", blocker, lease: null, checkpoint: { step: 2 }, tokens_used: 5 });
    expect(job.last_blocker_fingerprint).toBe(job.blocker?.fingerprint);
    expect(verdict(await fleet.deliver())).toBe("STOP BLOCKED_UNCHANGED");
    expect(await finish(claim, { blocker })).toMatchObject({ state: "CHECKPOINT", replay: true });
    expect(await finish(claim)).toMatchObject({ state: "ALREADY_FINISHED" });
  });

  test("what an attempt cost stands on its claim: the greatest report, absent where unknown", async () => {
    const claim = await fleet.atWork();
    await renewDelivery(fleet, claim, { workerId: WORKER, costUsd: 0.25 });
    await renewDelivery(fleet, claim, { workerId: WORKER, costUsd: 0.2 });
    await finish(claim, { costUsd: 0.75 });
    expect(await fleet.receipts("delivery_claim")).toMatchObject([{ cost_usd: 0.75 }]);
    await fleet.deliver();
    await finish(await fleet.claim(), { costUsd: 0 });
    expect((await fleet.receipts("delivery_claim"))[1]).not.toHaveProperty("cost_usd");
  });
});

describe("checkpoint omitted", () => {
  test.each([
    ["an integer is raised by one", { step: 4, other: ["kept"] }, 5],
    ["absent counts as 0", { other: ["kept"] }, 1],
    ["below zero", { step: -1 }, 0],
    ["written 4.0 it is an integer", { step: JSON.rawJSON("4.0") }, 5],
  ])("step: %s; other keys stay", async (_what, checkpoint, step) => {
    const claim = await fleet.atWork({ checkpoint });
    expect(claim.step).toBe(step);
    expect(await finish(claim)).toMatchObject({ state: "CHECKPOINT", step });
    expect((await fleet.job()).checkpoint).toEqual({ ...checkpoint, step });
  });

  test("step beyond 2^53 is raised exactly", async () => {
    const claim = await fleet.atWork({ checkpoint: { step: JSON.rawJSON("9007199254740993") } });
    expect(claim.step).toBe(9007199254740994n);
    await finish(claim);
    expect(fleet.text()).toContain('"step": 9007199254740994\n');
  });

  test.each(["4", null, 1.5, [1], { n: 1 }, true])("a step that is %j is SCHEMA, and nothing changes", async (step) => {
    const claim = await fleet.atWork({ checkpoint: { step } });
    const before = fleet.text();
    await expect(finish(claim)).rejects.toMatchObject({ code: "SCHEMA", field: "checkpoint.step" });
    expect(fleet.text()).toBe(before);
    expect(await finish(claim, { checkpoint: { step: 1 } })).toMatchObject({ state: "CHECKPOINT" });
  });

  test("step stays where it already satisfies checkpoint_equals", async () => {
    fleet.pages.durable.add("harbor-page-0001");
    // The job's own page is not there, so that no tick completes it before it is claimed.
    const claim = await fleet.atWork({ checkpoint: { step: 3 }, completion_predicate: STEP_3 });
    expect(claim.step).toBe(3);
    expect(await finish(claim, { resultAddress: "harbor-page-0001" })).toMatchObject({ state: "DONE", step: 3 });
    expect(await fleet.job()).toMatchObject({ checkpoint: { step: 3 }, result_address: "harbor-page-0001" });
  });

  test("a checkpoint_equals on another path does not keep the step", async () => {
    const predicate = { type: "checkpoint_equals", path: "phase", value: "end" };
    const claim = await fleet.atWork({ checkpoint: { step: 3 }, completion_predicate: predicate });
    expect(await finish(claim)).toMatchObject({ state: "CHECKPOINT", step: 4 });
  });
});

describe("terminal: the page is verified first, then one write commits checkpoint, ack, complete and DONE", () => {
  test("when a result is given", async () => {
    const claim = await fleet.atWork();
    fleet.pages.durable.add(TRAIN);
    const { event_receipts: before } = await fleet.job();
    expect(await finish(claim, { result: PAGE, tokensUsed: 9 })).toMatchObject({ ok: true, state: "DONE", step: 1 });
    const job = await fleet.job();
    expect(job).toMatchObject({
      status: "DONE",
      lease: null,
      checkpoint: { step: 1 },
      result: PAGE,
      result_address: TRAIN,
      completed_at: atNoon(0),
      tokens_used: 9,
    });
    expect(job.event_receipts.slice(before.length).map(({ event }) => event)).toEqual(["checkpoint", "ack", "complete"]);
    expect(verdict(await fleet.deliver())).toBe("STOP DONE");
  });

  test("when the new checkpoint satisfies checkpoint_equals", async () => {
    const claim = await fleet.atWork({ checkpoint: { step: 2 }, completion_predicate: STEP_3 });
    fleet.pages.durable.add(TRAIN);
    expect(await finish(claim)).toMatchObject({ state: "DONE", step: 3 });
  });

  test("when the predicate is result_address_on_head and its page is there", async () => {
    const claim = await fleet.atWork({ completion_predicate: PAGE_ON_HEAD });
    fleet.pages.durable.add(TRAIN);
    expect(await finish(claim, { checkpoint: { left: [] } })).toMatchObject({ state: "DONE" });
    expect(await fleet.job()).toMatchObject({ status: "DONE", checkpoint: { left: [] } });
  });

  test("at the given address, which the job keeps", async () => {
    const claim = await fleet.atWork({ result_address: "" });
    fleet.pages.durable.add("harbor-page-0001");
    expect(await finish(claim, { result: PAGE, resultAddress: "harbor-page-0001" })).toMatchObject({ state: "DONE" });
    expect(await fleet.job()).toMatchObject({ status: "DONE", result_address: "harbor-page-0001" });
  });

  test("the given address counts, not the job's own", async () => {
    const claim = await fleet.atWork();
    fleet.pages.durable.add(TRAIN);
    expect(await refused(claim, { result: PAGE, resultAddress: "harbor-page-0001" })).toBe("NOT_DURABLE");
  });

  test.each([
    ["a result", {}, { result: PAGE }],
    ["a checkpoint that satisfies checkpoint_equals", { completion_predicate: STEP_3 }, { checkpoint: { step: 3 } }],
  ])(
    "%s without its page is NOT_DURABLE: nothing changes, the lease stays, and once pushed the same call is DONE",
    async (_what, fields, outcome) => {
      const claim = await fleet.atWork(fields);
      expect(await refused(claim, outcome)).toBe("NOT_DURABLE");
      expect((await fleet.job()).lease?.lease_id).toBe(claim.lease.lease_id);
      fleet.pages.durable.add(TRAIN);
      expect(await finish(claim, outcome)).toMatchObject({ state: "DONE" });
    },
  );

  test("the page is asked for anew in each call: one that is gone again is NOT_DURABLE", async () => {
    const claim = await fleet.atWork();
    fleet.pages.durable.add(TRAIN);
    fleet.pages.durable.delete(TRAIN);
    expect(await refused(claim, { result: PAGE })).toBe("NOT_DURABLE");
  });
});

describe("a result that only says that something was handed over is NOT_DURABLE whatever the page says", () => {
  const WEAK = ["claimed", "sent", "pr_open", "accepted", "2xx", "carrier_2xx"];

  test.each([...WEAK, "Sent", "PR-open", "pr open", "CLAIMED ", "Carrier-2XX", "ａｃｃｅｐｔｅｄ"])("%s", async (word) => {
    const claim = await fleet.atWork();
    fleet.pages.durable.add(TRAIN);
    expect(await refused(claim, { result: { kind: word } })).toBe("NOT_DURABLE");
    expect(await refused(claim, { result: { kind: "page", status: word } })).toBe("NOT_DURABLE");
  });

  test("in any spelling", async () => {
    const claim = await fleet.atWork();
    fleet.pages.durable.add(TRAIN);
    const spelling = fc
      .tuple(fc.constantFrom(...WEAK), fc.array(fc.tuple(fc.boolean(), fc.constantFrom("", "", "-", " ", "_", ".")), LETTERS))
      .map(([word, marks]) =>
        [...word].map((letter, i) => (marks[i]?.[0] ? letter.toUpperCase() : letter) + (marks[i]?.[1] ?? "")).join(""),
      );
    await fc.assert(
      fc.asyncProperty(spelling, fc.constantFrom("kind", "status"), async (word, key) => {
        expect(await refused(claim, { result: { [key]: word } })).toBe("NOT_DURABLE");
      }),
    );
  });

  const LETTERS = { minLength: 11, maxLength: 11 };

  test.each(["page", "report", "unsent", "reclaimed", "pr_merged", "not accepted"])("%s is another word", async (kind) => {
    const claim = await fleet.atWork();
    fleet.pages.durable.add(TRAIN);
    expect(await finish(claim, { result: { kind } })).toMatchObject({ state: "DONE" });
  });
});

describe("the ack keeps the outcome", () => {
  test("the same call again answers as the first did, with replay: true, and changes nothing", async () => {
    const claim = await fleet.atWork();
    const outcome = { checkpoint: { step: 1, b: 2, a: [1] }, nextWakeAt: atNoon(60) };
    const first = await finish(claim, outcome);
    const before = fleet.text();
    fleet.clock.step(600);
    expect(await finish(claim, outcome)).toEqual({ ...first, replay: true });
    expect(await finish(claim, { nextWakeAt: "2026-11-30T13:01:00+01:00", checkpoint: { a: [1], b: 2, step: 1n } })).toEqual({
      ...first,
      replay: true,
    });
    expect(fleet.text()).toBe(before);
  });

  test("also when DONE, when a later attempt is at work, and when the job was cancelled since", async () => {
    const first = await fleet.atWork();
    const answer = await finish(first);
    await fleet.deliver();
    const second = await fleet.claim();
    expect(await finish(first)).toEqual({ ...answer, replay: true });
    fleet.pages.durable.add(TRAIN);
    const done = await finish(second, { result: PAGE });
    expect(await finish(second, { result: PAGE })).toEqual({ ...done, replay: true });

    const other = await fleet.atWork();
    await finish(other);
    await cancelJob(fleet, TRAIN, "enough");
    expect(await finish(other)).toMatchObject({ state: "CHECKPOINT", replay: true });
  });

  test.each<[string, Outcome]>([
    ["another checkpoint", { checkpoint: { step: 2 } }],
    ["no checkpoint", {}],
    ["another next_wake_at", { checkpoint: { step: 1 }, nextWakeAt: atNoon(60) }],
    ["a result", { checkpoint: { step: 1 }, result: PAGE }],
    ["an address", { checkpoint: { step: 1 }, resultAddress: "harbor-page-0001" }],
  ])("another outcome is ALREADY_FINISHED: %s", async (_what, outcome) => {
    const claim = await fleet.atWork();
    await finish(claim, { checkpoint: { step: 1 } });
    fleet.pages.durable.add(TRAIN);
    expect(await refused(claim, outcome)).toBe("ALREADY_FINISHED");
  });

  test("raced by two there is one outcome", async () => {
    const claim = await fleet.atWork();
    const answers = await Promise.all([1, 2, 1, 2].map((step) => finish(claim, { checkpoint: { step } })));
    expect(answers.map(({ state, replay }) => [state, replay])).toEqual([
      ["CHECKPOINT", undefined],
      ["ALREADY_FINISHED", undefined],
      ["CHECKPOINT", true],
      ["ALREADY_FINISHED", undefined],
    ]);
    expect((await fleet.job()).checkpoint).toEqual({ step: 1 });
  });
});

describe("where a tick has completed the job meanwhile", () => {
  test("the claimant's finish answers DONE and its tokens are noted; nothing else of the job changes", async () => {
    const claim = await fleet.atWork({ completion_predicate: PAGE_ON_HEAD, tokens_used: 100 });
    fleet.pages.durable.add(TRAIN);
    fleet.clock.step(10);
    expect(verdict(await fleet.deliver())).toBe("STOP DONE");
    const before = await fleet.job();
    fleet.clock.step(10);
    const answer = await finish(claim, { checkpoint: { step: 99 }, tokensUsed: 40 });
    expect(answer).toMatchObject({ ok: true, state: "DONE", invoke_model: false });
    const { event_receipts, ...after } = await fleet.job();
    const { event_receipts: receiptsBefore, ...rest } = before;
    expect(after).toEqual({ ...rest, tokens_used: 140 });
    expect(event_receipts.slice(receiptsBefore.length).map(({ event }) => event)).toEqual(["ack"]);
    expect(await finish(claim, { checkpoint: { step: 99 }, tokensUsed: 40 })).toEqual({ ...answer, replay: true });
  });

  test("also when it does so between the page check and the write", async () => {
    const claim = await fleet.atWork({ completion_predicate: PAGE_ON_HEAD });
    fleet.pages.durable.add(TRAIN);
    const { pages } = fleet;
    const atHead = pages.atHead.bind(pages);
    pages.atHead = async () => {
      pages.atHead = atHead;
      await fleet.deliver();
      return atHead();
    };
    expect(await finish(claim, { result: PAGE })).toMatchObject({ state: "DONE" });
    expect(await fleet.receipts("auto_complete")).toHaveLength(1);
    expect(await fleet.receipts("complete")).toHaveLength(0);
  });

  test("a result that is no page is left out, and the answer says so", async () => {
    const claim = await fleet.atWork({ completion_predicate: PAGE_ON_HEAD });
    fleet.pages.durable.add(TRAIN);
    await fleet.deliver();
    const answer = await finish(claim, { result: { kind: "PR-open" } });
    expect(answer).toMatchObject({ ok: true, state: "DONE", message: expect.stringContaining("left out") });
    expect((await fleet.job()).result).toBeUndefined();
  });

  test("a claimant that had given up is answered the terminal state", async () => {
    const claim = await fleet.atWork({ completion_predicate: PAGE_ON_HEAD });
    await failDelivery(fleet, claim, { workerId: WORKER, detail: "gave up" });
    fleet.pages.durable.add(TRAIN);
    await fleet.deliver();
    expect(await refused(claim)).toBe("DONE");
  });

  test("the worker of an attempt before the latest is answered the terminal state", async () => {
    const first = await fleet.atWork({ completion_predicate: PAGE_ON_HEAD });
    fleet.clock.step(900);
    await fleet.deliver();
    fleet.clock.step(3600);
    await fleet.deliver();
    fleet.pages.durable.add(TRAIN);
    await fleet.deliver();
    expect(await refused(first)).toBe("DONE");
  });
});

describe("a job without an address", () => {
  test("takes no result: NOT_DURABLE, whatever the predicate, and git is not asked", async () => {
    const claim = await fleet.atWork({ result_address: "", completion_predicate: STEP_3 });
    expect(await refused(claim, { result: PAGE, checkpoint: { step: 3 } })).toBe("NOT_DURABLE");
    expect(await refused(claim, { result: PAGE, checkpoint: { step: 1 } })).toBe("NOT_DURABLE");
    expect(fleet.pages.asked).toEqual([]);
    expect(await finish(claim)).toMatchObject({ state: "CHECKPOINT" });
  });

  test("a result on a checkpoint_equals that the call does not meet is PREDICATE: the lease stays", async () => {
    const claim = await fleet.atWork({ completion_predicate: STEP_3 });
    fleet.pages.durable.add(TRAIN);
    expect(await refused(claim, { result: PAGE })).toBe("PREDICATE");
    expect(await refused(claim, { result: PAGE, checkpoint: { step: 2 } })).toBe("PREDICATE");
    expect((await fleet.job()).lease?.lease_id).toBe(claim.lease.lease_id);
    expect(await finish(claim, { result: PAGE, checkpoint: { step: 3 } })).toMatchObject({ state: "DONE" });
  });
});

describe("who may not finish, and that nothing changes", () => {
  test("a held job: the hold's state, also for a finish that was made before", async () => {
    const claim = await fleet.atWork();
    expect(await refused(claim, { harness: "cursor" })).toBe("CURSOR_QUOTA_HOLD");
    await finish(claim);
    fleet.edit({ harness: "cursor" });
    expect(await refused(claim)).toBe("CURSOR_QUOTA_HOLD");
  });

  test("but after a BACKOFF it may, while nobody else was offered it", async () => {
    const claim = await fleet.atWork();
    fleet.clock.step(900);
    expect(verdict(await fleet.deliver())).toBe("BACKOFF UNCHANGED_CHECKPOINT");
    expect(await finish(claim)).toMatchObject({ ok: true, state: "CHECKPOINT" });
    expect(await fleet.job()).toMatchObject({ in_backoff: false, no_progress_count: 0, next_wake_at: atNoon(900) });
  });

  test("the checkpoint was moved by its owner: STALE_ATTEMPT; a block does not end a claim", async () => {
    const claim = await fleet.atWork();
    fleet.edit({ checkpoint: { step: 1 } });
    expect(await refused(claim)).toBe("STALE_ATTEMPT");
    fleet.edit({ checkpoint: { step: 0 } });
    await blockJob(fleet, TRAIN, "unavailable_state", "the dock is closed");
    expect(await finish(claim)).toMatchObject({ ok: true, state: "CHECKPOINT" });
    expect(await fleet.job()).toMatchObject({ status: "BLOCKED", lease: null, checkpoint: { step: 1 } });
  });

  test.each(["CANCELLED", "EXHAUSTED", "DONE"])("the job ended meanwhile: %s", async (status) => {
    const claim = await fleet.atWork();
    fleet.edit({ status, lease: null });
    expect(await refused(claim, { result: PAGE })).toBe(status);
  });
});

describe("tokens", () => {
  test("the job's tokens_used is the sum over its attempts, each at its greatest report", async () => {
    const first = await fleet.atWork({ tokens_used: 1000 });
    await renewDelivery(fleet, first, { workerId: WORKER, tokensUsed: 50 });
    await finish(first, { tokensUsed: 40 });
    expect((await fleet.job()).tokens_used).toBe(1050);
    await fleet.deliver();
    const second = await fleet.claim();
    await renewDelivery(fleet, second, { workerId: WORKER, tokensUsed: 5 });
    await finish(second, { tokensUsed: 30 });
    expect((await fleet.job()).tokens_used).toBe(1080);
    await finish(second, { tokensUsed: 30 });
    expect((await fleet.job()).tokens_used).toBe(1080);
    await fleet.deliver();
    await failDelivery(fleet, await fleet.claim(), { workerId: WORKER, detail: "gave up", tokensUsed: 3 });
    expect((await fleet.job()).tokens_used).toBe(1083);
  });

  test("a finish that reaches the budget is kept; the next tick ends the job", async () => {
    const claim = await fleet.atWork({ budget_tokens: 100 });
    expect(await finish(claim, { tokensUsed: 250 })).toMatchObject({ state: "CHECKPOINT" });
    expect(await fleet.job()).toMatchObject({ tokens_used: 250, checkpoint: { step: 1 } });
    expect(verdict(await fleet.deliver())).toBe("STOP BUDGET");
  });

  test("any reports in any order come to the greatest of each attempt", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(fc.nat(1000), { maxLength: 5 }), { maxLength: 4 }), async (attempts) => {
        fleet = new MemoryFleet();
        fleet.put();
        for (const reports of attempts) {
          await fleet.deliver();
          const claim = await fleet.claim();
          for (const tokensUsed of reports) await renewDelivery(fleet, claim, { workerId: WORKER, tokensUsed });
          await finish(claim);
        }
        const greatest = attempts.map((reports) => Math.max(0, ...reports));
        expect((await fleet.job()).tokens_used).toBe(greatest.reduce((sum, tokens) => sum + tokens, 0));
      }),
      { numRuns: 30 },
    );
  });
});

describe("a checkpoint that a harness gives back", () => {
  test("keeps the text of every number that it did not touch", async () => {
    const numberText = fc.stringMatching(/^-?(0|[1-9]\d{0,22})(\.\d{1,22})?([eE][+-]?\d{1,3})?$/);
    await fc.assert(
      fc.asyncProperty(fc.array(numberText, { minLength: 1, maxLength: 4 }), async (texts) => {
        fleet = new MemoryFleet();
        const claim = await fleet.atWork({ checkpoint: { step: 0, list: texts.map((text) => JSON.rawJSON(text)) } });
        await finish(claim, { checkpoint: { ...claim.checkpoint, step: 1 } });
        const after = [...fleet.text().matchAll(/^ {6}(\S+?),?$/gm)].map(([, text]) => text);
        expect(after).toEqual(texts);
      }),
    );
  });

  test("may hold bigint; a number that changed, or moved elsewhere, is written as given", async () => {
    const claim = await fleet.atWork({ checkpoint: { a: JSON.rawJSON("1.0"), b: JSON.rawJSON("12345678901234567890") } });
    await finish(claim, { checkpoint: { a: 2, b: 12345678901234567891n, moved: 1 } });
    expect((await fleet.job()).checkpoint).toEqual({ a: 2, b: JSON.rawJSON("12345678901234567891"), moved: 1 });
  });

  test("Infinity goes back where 1e400 was, and nowhere else", async () => {
    const claim = await fleet.atWork({ checkpoint: { huge: JSON.rawJSON("1e400"), low: JSON.rawJSON("-1E+999") } });
    const { huge, low } = claim.checkpoint;
    for (const checkpoint of [{ huge: low }, { huge, other: huge }, { huge: [huge] }]) {
      await expect(finish(claim, { checkpoint })).rejects.toMatchObject({ code: "SCHEMA" });
    }
    await finish(claim, { checkpoint: { huge, low, step: 1 } });
    expect(fleet.text()).toMatch(/"huge": 1e400,\s+"low": -1E\+999,/);
  });

  test.each([
    ["NaN", { n: Number.NaN }, "checkpoint.n"],
    ["NaN where a number was", { step: Number.NaN }, "checkpoint.step"],
    ["Infinity", { deep: [{ n: Number.POSITIVE_INFINITY }] }, "checkpoint.deep.0.n"],
    ["a function", { f: () => 1 }, "checkpoint.f"],
    ["a Date", { at: new Date(0) }, "checkpoint.at"],
    ["a Map", { map: new Map() }, "checkpoint.map"],
    ["a symbol", { s: Symbol("s") }, "checkpoint.s"],
  ])("%s is SCHEMA, and nothing changes", async (_what, checkpoint, field) => {
    const claim = await fleet.atWork();
    const before = fleet.text();
    await expect(finish(claim, { checkpoint })).rejects.toMatchObject({ code: "SCHEMA", field });
    expect(fleet.text()).toBe(before);
  });

  test.each([
    ["200 levels", nested(199), undefined],
    ["201 levels", nested(200), "SCHEMA"],
    ["a hundred thousand levels", nested(100_000), "SCHEMA"],
    ["itself", circular(), "SCHEMA"],
    ["1 MiB and more", { text: "x".repeat(1024 * 1024) }, "SCHEMA"],
  ])("may nest 200 levels and weigh 1 MiB: %s", async (_what, checkpoint, code) => {
    const claim = await fleet.atWork();
    const before = fleet.text();
    if (code === undefined) {
      expect(await finish(claim, { checkpoint })).toMatchObject({ state: "CHECKPOINT" });
      return;
    }
    await expect(finish(claim, { checkpoint })).rejects.toMatchObject({ code });
    expect(fleet.text()).toBe(before);
  });

  function nested(levels: number): Record<string, unknown> {
    let value: Record<string, unknown> = {};
    for (let i = 0; i < levels; i++) value = { down: value };
    return value;
  }

  function circular(): Record<string, unknown> {
    const value: Record<string, unknown> = {};
    value["self"] = value;
    return value;
  }

  test("keys named __proto__, constructor and prototype are data like any other", async () => {
    const text = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"x":2}},"step":0}';
    fleet.put();
    fleet.texts.set(TRAIN, fleet.text().replace('"checkpoint":{"step":0}', `"checkpoint":${text}`));
    await fleet.deliver();
    const claim = await fleet.claim();
    expect(Object.hasOwn(claim.checkpoint, "__proto__")).toBe(true);
    await finish(claim, { checkpoint: claim.checkpoint });
    expect(JSON.stringify((await fleet.job()).checkpoint)).toBe(text);
    await fleet.deliver();
    fleet.clock.step(3600);
    await fleet.deliver();
    await finish(await fleet.claim());
    expect(JSON.stringify((await fleet.job()).checkpoint)).toBe(text.replace('"step":0', '"step":1'));
    expect(Object.keys({}).concat(Object.keys(Object.prototype))).toEqual([]);
  });
});

describe("wrong use is SCHEMA", () => {
  test.each<[string, Outcome]>([
    ["checkpoint", { checkpoint: [] as unknown as Record<string, unknown> }],
    ["checkpoint", { checkpoint: null as unknown as Record<string, unknown> }],
    ["nextWakeAt", { nextWakeAt: "2026-02-30" }],
    ["resultAddress", { resultAddress: "../page" }],
    ["resultAddress", { resultAddress: "" }],
    ["tokensUsed", { tokensUsed: -1 }],
    ["result", { result: Number.NaN }],
    ["workerId", { workerId: "" }],
    ["costUsd", { costUsd: -1 }],
    ["costUsd", { costUsd: Number.NaN }],
    ["blocker", { blocker: { kind: "external_authority", detail: "x" }, result: PAGE }],
    ["blocker.kind", { blocker: { kind: "weather" as "external_authority", detail: "x" } }],
    ["blocker.detail", { blocker: { kind: "external_authority", detail: "" } }],
  ])("%s: %j", async (field, outcome) => {
    const claim = await fleet.atWork();
    const before = fleet.text();
    await expect(finish(claim, outcome)).rejects.toMatchObject({ code: "SCHEMA", field });
    expect(fleet.text()).toBe(before);
  });
});

test("where git cannot say whether the page stands, the call throws TRUTH_UNAVAILABLE that says why, and nothing changes", async () => {
  const claim = await fleet.atWork();
  const before = fleet.text();
  fleet.pages.failure = noGit();
  await expect(finish(claim, { result: PAGE })).rejects.toMatchObject({
    code: "TRUTH_UNAVAILABLE",
    message: expect.stringContaining(noGit().message),
  });
  expect(fleet.text()).toBe(before);
});
