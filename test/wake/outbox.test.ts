import { beforeEach, describe, expect, test } from "vitest";
import { failDelivery } from "../../src/callback/fail-delivery.ts";
import { finishDelivery } from "../../src/callback/finish-delivery.ts";
import { renewDelivery } from "../../src/callback/renew-delivery.ts";
import { JobError } from "../../src/errors/job-error.ts";
import { blockJob, cancelJob, unblockJob, updateJob } from "../../src/owner/change-job.ts";
import type { JobStore, Outcome, StepFunction } from "../../src/store/job-store.ts";
import { runTick } from "../../src/wake/run-tick.ts";
import { FAKE_HOST } from "../support/fake-mailer.ts";
import { TRAIN } from "../support/job-builder.ts";
import { type ClaimOfOurs, MemoryFleet, verdict, WORKER } from "../support/memory-fleet.ts";
import { atNoon, NOON } from "../support/noon.ts";

let fleet: MemoryFleet;

beforeEach(() => {
  fleet = new MemoryFleet();
});

const QUARTER = 900;
const FIRST = `${TRAIN}-a01`;

/** Which attempts were mailed so far, in their order. */
function mailed(): readonly string[] {
  return fleet.mailer.sent.map(({ attempt_id }) => attempt_id);
}

describe("a wake's mail", () => {
  test("goes out once, after the wake is durable, and leaves one receipt", async () => {
    fleet.put();
    fleet.mailer.onSent = async () => expect(await fleet.job()).toMatchObject({ status: "LEASED", attempt_count: 1 });
    const pass = await fleet.deliver();
    const mail = await fleet.mail();
    expect(fleet.mailer.sent.map(({ message }) => JSON.parse(message))).toEqual([mail]);
    expect(pass).toMatchObject({
      ok: true,
      delivered_count: 1,
      deliveries: [{ ok: true, state: "MAIL", job_id: TRAIN, attempt_id: FIRST, host: FAKE_HOST, http_status: 200 }],
    });
    expect(await fleet.receipts("wake")).toMatchObject([{ attempt_id: FIRST, mail: "owed" }]);
    expect(await fleet.receipts("deliver")).toMatchObject([
      { attempt_id: FIRST, carrier: "MAIL", host: FAKE_HOST, http_status: 200, count: 1, ts: atNoon(0) },
    ]);
    expect(await fleet.deliver()).toMatchObject({ deliveries: [] });
    expect(mailed()).toEqual([FIRST]);
  });

  test("is not promised by a pass without --deliver, and a later pass with it mails nothing for that attempt", async () => {
    fleet.put();
    await fleet.tick();
    expect((await fleet.receipts("wake"))[0]).not.toHaveProperty("mail");
    fleet.clock.step(60);
    expect(verdict(await fleet.deliver())).toBe("STOP LEASE_HELD");
    fleet.clock.step(QUARTER);
    expect(verdict(await fleet.deliver())).toBe("BACKOFF UNCHANGED_CHECKPOINT");
    expect(mailed()).toEqual([]);
  });

  test("that failed makes the pass not ok, and the delivery says so", async () => {
    fleet.put();
    fleet.mailer.weather = "down";
    expect(await fleet.deliver()).toMatchObject({
      ok: false,
      wake_count: 1,
      delivered_count: 0,
      deliveries: [{ ok: false, state: "FAILED", job_id: TRAIN, attempt_id: FIRST, http_status: 503 }],
    });
  });

  test("carries no lease_id, no checkpoint and no objective", async () => {
    fleet.put({ checkpoint: { secret: "planted-in-checkpoint" }, objective: "planted in objective" });
    await fleet.deliver();
    const { lease } = await fleet.job();
    const letters = JSON.stringify(fleet.mailer.sent);
    for (const secret of [lease?.lease_id ?? "no lease", "planted-in-checkpoint", "planted in objective"]) {
      expect(letters).not.toContain(secret);
    }
  });
});

describe("MAIL_GRACE_SECONDS: a live lease's owed mail is left to the pass that is at it for 60 s", () => {
  test.each([
    [0, "STOP LEASE_HELD"],
    [59, "STOP LEASE_HELD"],
    [60, "WAKE REDELIVER"],
    [899, "WAKE REDELIVER"],
  ])("after %i s: %s", async (seconds, expected) => {
    fleet.put();
    fleet.mailer.weather = "unreached";
    await fleet.deliver();
    fleet.clock.step(seconds);
    fleet.mailer.weather = "up";
    expect(verdict(await fleet.deliver())).toBe(expected);
  });

  test("a clock that went back shortens no lease, and the future counts for nothing: the mail goes out", async () => {
    fleet.put();
    fleet.mailer.weather = "unreached";
    await fleet.deliver();
    fleet.clock.step(-7200);
    expect(verdict(await fleet.deliver())).toBe("WAKE REDELIVER");
    expect(verdict(await fleet.deliver())).toBe("STOP LEASE_HELD");
    expect((await fleet.job()).lease?.until).toBe(atNoon(QUARTER));
  });

  test("REDELIVER is the same attempt under a fresh lease, its wake receipt counted again; no other count moves", async () => {
    fleet.put();
    fleet.mailer.weather = "down";
    await fleet.deliver();
    const before = await fleet.job();
    fleet.clock.step(120);
    fleet.mailer.weather = "up";
    const pass = await fleet.deliver();
    expect(pass.jobs).toMatchObject([{ action: "WAKE", reason: "REDELIVER", attempt_id: FIRST, invoke_model: true }]);
    const { lease, attempt_count, unclaimed_count, no_progress_count } = await fleet.job();
    expect({ attempt_count, unclaimed_count, no_progress_count }).toEqual({
      attempt_count: 1,
      unclaimed_count: 0,
      no_progress_count: 0,
    });
    expect(lease).toMatchObject({ until: atNoon(120 + QUARTER) });
    expect(lease?.lease_id).not.toBe(before.lease?.lease_id);
    expect(await fleet.receipts("wake")).toMatchObject([{ attempt_id: FIRST, lease_id: lease?.lease_id, count: 2 }]);
  });

  test("without --deliver a tick burns nothing: LEASE_HELD, then a back-off that the next mailing pass does not wait for", async () => {
    fleet.put();
    fleet.mailer.weather = "down";
    await fleet.deliver();
    const before = fleet.text();
    fleet.clock.step(120);
    expect(verdict(await fleet.tick())).toBe("STOP LEASE_HELD");
    expect(fleet.text()).toBe(before);
    fleet.clock.step(QUARTER);
    expect(verdict(await fleet.tick())).toBe("BACKOFF UNCLAIMED");
    expect(await fleet.job()).toMatchObject({ attempt_count: 1, unclaimed_count: 1 });
    fleet.mailer.weather = "up";
    expect(verdict(await fleet.deliver())).toBe("WAKE REDELIVER");
    expect(await fleet.job()).toMatchObject({ attempt_count: 1, unclaimed_count: 1, in_backoff: true });
    expect(await fleet.claim()).toMatchObject({ attempt_id: FIRST });
    expect(await fleet.job()).toMatchObject({ unclaimed_count: 0, in_backoff: false });
  });
});

test("an outage of 50 ticks, every 15 minutes: one attempt, mail tried ever more slowly, one counted receipt, and mail once it is over", async () => {
  fleet.put();
  fleet.mailer.weather = "down";
  const verdicts: string[] = [];
  for (let n = 1; n <= 50; n++) {
    verdicts.push(verdict(await fleet.deliver()));
    expect(await fleet.job()).toMatchObject({ attempt_count: 1, unclaimed_count: 0, no_progress_count: 0 });
    fleet.clock.step(QUARTER);
  }
  // After 1, 2 and 3 failures the grace is shorter than a quarter of an hour, then 16 and 32 minutes, then an hour.
  const waits = (n: number): string[] => [...Array<string>(n).fill("STOP MAIL_OWED"), "WAKE REDELIVER"];
  const slowly = ["WAKE RUNNABLE", ...waits(0), ...waits(0), ...waits(0), ...waits(1), ...waits(2)];
  expect(verdicts.slice(0, 9)).toEqual(slowly);
  expect(verdicts.slice(9, 13)).toEqual(waits(3));
  const count = verdicts.filter((one) => one.startsWith("WAKE")).length;
  expect(await fleet.receipts("deliver")).toMatchObject([
    { carrier: "FAILED", count, attempt_id: FIRST, error: "no host took it" },
  ]);
  expect(await fleet.receipts("wake")).toMatchObject([{ count }]);
  fleet.mailer.weather = "up";
  fleet.clock.step(4 * QUARTER);
  expect(await fleet.deliver()).toMatchObject({ ok: true, delivered_count: 1 });
  expect(mailed()).toEqual([FIRST]);
  expect(await fleet.receipts("deliver")).toMatchObject([
    { carrier: "FAILED", count },
    { carrier: "MAIL", count: 1 },
  ]);
  expect(await finishDelivery(fleet, await fleet.claim(), { workerId: WORKER })).toMatchObject({ state: "CHECKPOINT" });
});

test("MAIL ends a run of failures: one after it counts from 1 again, in the one receipt that it has", async () => {
  fleet.put();
  fleet.mailer.weather = "down";
  await fleet.deliver();
  fleet.clock.step(QUARTER);
  fleet.mailer.weather = "up";
  await fleet.deliver();
  fleet.clock.step(QUARTER);
  await fleet.deliver();
  fleet.clock.step(QUARTER);
  fleet.mailer.weather = "down";
  expect(verdict(await fleet.deliver())).toBe("WAKE REOFFER");
  fleet.clock.step(QUARTER);
  expect(verdict(await fleet.deliver())).toBe("WAKE REDELIVER");
  expect((await fleet.receipts("deliver")).map(({ carrier, count }) => `${carrier} ${count}`)).toEqual(["MAIL 1", "FAILED 2"]);
});

test("nobody listens for 48 hours: one attempt, offered with growing pauses up to the cap, nothing exhausted; then a harness finishes", async () => {
  fleet.put();
  const offers: number[] = [];
  const pauses: number[] = [];
  for (let n = 0; n <= 48 * 4; n++) {
    const row = (await fleet.deliver()).jobs[0];
    if (row?.action === "WAKE") offers.push(fleet.clock.now());
    if (row?.action === "BACKOFF") {
      expect(row.reason).toBe("UNCLAIMED");
      pauses.push(Date.parse(row.next_wake_at ?? "") / 1000 - fleet.clock.now());
    }
    const job = await fleet.job();
    expect(job).toMatchObject({ attempt_count: 1, no_progress_count: 0, unclaimed_count: pauses.length });
    expect(["OPEN", "LEASED"]).toContain(job.status);
    fleet.clock.step(QUARTER);
  }
  expect(pauses.slice(0, 8)).toEqual([120, 240, 480, 960, 1920, 3600, 3600, 3600]);
  expect(new Set(pauses.slice(5))).toEqual(new Set([3600]));
  expect(offers.length).toBeGreaterThan(30);
  expect(new Set(mailed())).toEqual(new Set([FIRST]));
  expect(mailed()).toHaveLength(offers.length);

  while (verdict(await fleet.deliver()) !== "WAKE REOFFER") fleet.clock.step(QUARTER);
  const claim = await fleet.claim();
  expect(claim.attempt_id).toBe(FIRST);
  expect(await fleet.job()).toMatchObject({ unclaimed_count: 0 });
  expect(await finishDelivery(fleet, claim, { workerId: WORKER })).toMatchObject({ state: "CHECKPOINT" });
  expect(await fleet.deliver()).toMatchObject({ jobs: [{ reason: "RUNNABLE", attempt_id: `${TRAIN}-a02` }] });
});

describe("owed mail never comes back to life", () => {
  /** What may become of an attempt that was claimed though its mail failed. */
  const FATES: readonly (readonly [string, (claim: ClaimOfOurs) => Promise<unknown>])[] = [
    ["is still at work", async () => undefined],
    ["finishes", (claim) => finishDelivery(fleet, claim, { workerId: WORKER })],
    ["finishes with the same checkpoint", (claim) => finishDelivery(fleet, claim, { workerId: WORKER, checkpoint: { step: 0 } })],
    ["fails", (claim) => failDelivery(fleet, claim, { workerId: WORKER, detail: "gave up" })],
    ["is cancelled", () => cancelJob(fleet, TRAIN, "enough")],
    ["is blocked", () => blockJob(fleet, TRAIN, "unavailable_state", "the dock is closed")],
    ["is blocked and unblocked", () => blockJob(fleet, TRAIN, "unavailable_state", "x").then(() => unblockJob(fleet, TRAIN))],
    ["is held", async () => fleet.edit({ harness: "cursor" })],
    ["is edited by its owner", () => updateJob(fleet, TRAIN, { objective: "Another.", backoff_seconds: 1 })],
    ["has its checkpoint edited by its owner", async () => fleet.edit({ checkpoint: { step: 5 } })],
  ];

  test.each(FATES)("a harness finds the attempt by itself and claims it, and the job %s", async (_fate, befall) => {
    fleet.put();
    fleet.mailer.weather = "down";
    await fleet.deliver();
    fleet.clock.step(30);
    await befall(await fleet.claim());
    fleet.mailer.weather = "up";
    for (let n = 0; n < 30; n++) {
      await fleet.deliver();
      fleet.clock.step(QUARTER);
    }
    expect(mailed()).not.toContain(FIRST);
  });

  test.each([
    ["cancelled", () => cancelJob(fleet, TRAIN, "enough")],
    ["blocked", () => blockJob(fleet, TRAIN, "unavailable_state", "the dock is closed")],
    ["held", async () => fleet.edit({ harness: "cursor" })],
    ["past its deadline", async () => fleet.edit({ deadline: atNoon(20) })],
    ["over its budget", async () => fleet.edit({ tokens_used: 1_000_000 })],
  ])("nobody claims it, and the job is %s", async (_fate, befall) => {
    fleet.put();
    fleet.mailer.weather = "down";
    await fleet.deliver();
    fleet.clock.step(30);
    await befall();
    fleet.mailer.weather = "up";
    for (let n = 0; n < 30; n++) {
      await fleet.deliver();
      fleet.clock.step(QUARTER);
    }
    expect(mailed()).not.toContain(FIRST);
  });

  test("an unclaimed attempt's mail is owed again once the block is gone", async () => {
    fleet.put();
    fleet.mailer.weather = "down";
    await fleet.deliver();
    await blockJob(fleet, TRAIN, "unavailable_state", "the dock is closed");
    fleet.mailer.weather = "up";
    fleet.clock.step(QUARTER);
    expect(verdict(await fleet.deliver())).toBe("STOP BLOCKED_UNCHANGED");
    await unblockJob(fleet, TRAIN);
    expect(verdict(await fleet.deliver())).toBe("WAKE REDELIVER");
    expect(await fleet.job()).toMatchObject({ attempt_count: 1 });
    expect(mailed()).toEqual([FIRST]);
  });
});

describe("work longer than its lease", () => {
  test("with renewals across 20 ticks there is one attempt, and it finishes", async () => {
    const claim = await fleet.atWork();
    for (let n = 0; n < 20; n++) {
      fleet.clock.step(QUARTER - 60);
      expect(await renewDelivery(fleet, claim, { workerId: WORKER })).toMatchObject({ state: "RENEWED" });
      fleet.clock.step(60);
      expect(verdict(await fleet.deliver())).toBe("STOP LEASE_HELD");
    }
    expect(await fleet.job()).toMatchObject({ attempt_count: 1, no_progress_count: 0 });
    expect(mailed()).toEqual([FIRST]);
    expect(await finishDelivery(fleet, claim, { workerId: WORKER })).toMatchObject({ state: "CHECKPOINT" });
  });

  test("without renewals the tick backs off, and what comes in late is kept while nobody else was offered it", async () => {
    const claim = await fleet.atWork();
    fleet.clock.step(QUARTER);
    expect(verdict(await fleet.deliver())).toBe("BACKOFF UNCHANGED_CHECKPOINT");
    const late = await finishDelivery(fleet, claim, { workerId: WORKER, tokensUsed: 5 });
    expect(late).toMatchObject({ ok: true, state: "CHECKPOINT" });
    expect(await fleet.job()).toMatchObject({ tokens_used: 5, checkpoint: { step: 1 }, in_backoff: false });
    expect(await fleet.deliver()).toMatchObject({ jobs: [{ reason: "RUNNABLE", attempt_id: `${TRAIN}-a02` }] });
  });

  test("once another attempt was minted the late finish is refused, and its tokens are counted all the same", async () => {
    const claim = await fleet.atWork();
    fleet.clock.step(QUARTER);
    await fleet.deliver();
    fleet.clock.step(QUARTER);
    expect(await fleet.deliver()).toMatchObject({ jobs: [{ reason: "RUNNABLE", attempt_id: `${TRAIN}-a02` }] });
    const late = await finishDelivery(fleet, claim, { workerId: WORKER, tokensUsed: 5 });
    expect(late).toMatchObject({ ok: false, state: "STALE_ATTEMPT" });
    expect(await fleet.job()).toMatchObject({ tokens_used: 5, checkpoint: { step: 0 } });
  });

  test.each([-1200, 1200])("a claimant whose clock is off by %i s shortens no lease", async (skew) => {
    fleet.put({ lease_seconds: 3600 });
    await fleet.deliver();
    const until = (): Promise<number> => fleet.job().then(({ lease }) => Date.parse(lease?.until ?? "") / 1000);
    let before = await until();
    fleet.clock.step(skew);
    const claim = await fleet.claim();
    for (let n = 0; n < 5; n++) {
      expect(await until()).toBeGreaterThanOrEqual(before);
      before = await until();
      await renewDelivery(fleet, claim, { workerId: WORKER });
    }
    fleet.clock.step(-skew);
    expect(verdict(await fleet.deliver())).toBe("STOP LEASE_HELD");
    expect(await until()).toBeGreaterThanOrEqual(NOON + 3600);
  });
});

describe("a crash delays the mail and loses nothing", () => {
  /** A store that dies at its nth transaction: before it writes anything, or after. */
  function dyingStore(store: JobStore, nth: number, when: "before" | "after", error: Error): JobStore {
    let calls = 0;
    return {
      kind: "file",
      scan: () => store.scan(),
      read: (jobId) => store.read(jobId),
      async transact<A>(jobIds: readonly string[], step: StepFunction<A>): Promise<ReadonlyMap<string, Outcome<A>>> {
        calls++;
        if (calls === nth && when === "before") throw error;
        const outcomes = await store.transact(jobIds, step);
        if (calls === nth) throw error;
        return outcomes;
      },
    };
  }

  /** The next pass of a --deliver fleet, a minute later, on a store that lives. */
  async function nextPass(store: JobStore): Promise<string> {
    fleet.store = store;
    fleet.mailer.weather = "up";
    fleet.clock.step(60);
    return verdict(await fleet.deliver());
  }

  test("between wake and mail: the next tick sends it again, and no attempt is burned", async () => {
    fleet.put();
    fleet.mailer.weather = "crash";
    await expect(fleet.deliver()).rejects.toThrow("the process died while it mailed");
    expect(await fleet.job()).toMatchObject({ attempt_count: 1, status: "LEASED" });
    expect(await nextPass(fleet.store)).toBe("WAKE REDELIVER");
    expect(await fleet.job()).toMatchObject({ attempt_count: 1 });
    expect(mailed()).toEqual([FIRST]);
  });

  test("after the wake was written and before anyone knew: the same", async () => {
    fleet.put();
    const { store } = fleet;
    fleet.store = dyingStore(store, 1, "after", new Error("killed"));
    await expect(fleet.deliver()).rejects.toThrow("killed");
    expect(mailed()).toEqual([]);
    expect(await nextPass(store)).toBe("WAKE REDELIVER");
    expect(await fleet.job()).toMatchObject({ attempt_count: 1 });
    expect(mailed()).toEqual([FIRST]);
  });

  test("before the wake was written: nothing was mailed, and the next tick wakes the first attempt", async () => {
    fleet.put();
    const { store } = fleet;
    const before = fleet.text();
    fleet.store = dyingStore(store, 1, "before", new Error("killed"));
    await expect(fleet.deliver()).rejects.toThrow("killed");
    expect(fleet.text()).toBe(before);
    expect(mailed()).toEqual([]);
    expect(await nextPass(store)).toBe("WAKE RUNNABLE");
    expect(mailed()).toEqual([FIRST]);
  });

  test("between mail and receipt: the next tick sends it again, and no attempt is burned", async () => {
    fleet.put();
    const { store } = fleet;
    fleet.store = dyingStore(store, 2, "before", new Error("killed"));
    await expect(fleet.deliver()).rejects.toThrow("killed");
    expect(mailed()).toEqual([FIRST]);
    expect(await nextPass(store)).toBe("WAKE REDELIVER");
    expect(await fleet.job()).toMatchObject({ attempt_count: 1 });
    expect(mailed()).toEqual([FIRST, FIRST]);
    await fleet.claim();
    expect(await nextPass(store)).toBe("STOP LEASE_HELD");
  });

  test("a store that cannot note the receipt is an error of that delivery, and hides no other", async () => {
    fleet.put();
    const { store } = fleet;
    fleet.store = dyingStore(store, 2, "before", new JobError("IO", "the disk is full"));
    const pass = await fleet.deliver();
    expect(pass).toMatchObject({ ok: false, wake_count: 1 });
    expect(pass.deliveries).toMatchObject([{ ok: false, attempt_id: FIRST, error: expect.stringContaining("the disk is full") }]);
    expect(await nextPass(store)).toBe("WAKE REDELIVER");
    expect(await fleet.job()).toMatchObject({ attempt_count: 1 });
  });

  test("mail that the pass's time did not reach stays owed, without a receipt or an entry", async () => {
    fleet.put();
    fleet.mailer.weather = "unreached";
    expect(await fleet.deliver()).toMatchObject({ ok: true, wake_count: 1, deliveries: [] });
    expect(await fleet.receipts("deliver")).toEqual([]);
    expect(await nextPass(fleet.store)).toBe("WAKE REDELIVER");
    expect(mailed()).toEqual([FIRST]);
  });

  test.each(["claims", "claims and finishes"])("a harness %s while the mail's receipt is still to be written", async (what) => {
    fleet.put();
    fleet.mailer.onSent = async () => {
      const claim = await fleet.claim();
      if (what !== "claims") await finishDelivery(fleet, claim, { workerId: WORKER });
      fleet.mailer.onSent = async () => undefined;
    };
    await fleet.deliver();
    const receipts = (await fleet.job()).event_receipts.map(({ event }) => event);
    expect(receipts.filter((event) => event === "delivery_claim" || event === "deliver")).toEqual(["delivery_claim", "deliver"]);
    expect(verdict(await fleet.deliver())).toBe(what === "claims" ? "STOP LEASE_HELD" : "WAKE RUNNABLE");
  });

  test("a job that is cancelled while its mail is under way keeps its end and takes the receipt", async () => {
    fleet.put();
    fleet.mailer.onSent = async () => {
      fleet.clock.step(10);
      await cancelJob(fleet, TRAIN, "enough");
    };
    await fleet.deliver();
    expect(await fleet.job()).toMatchObject({ status: "CANCELLED", lease: null, updated_at: atNoon(10) });
    expect(await fleet.receipts("deliver")).toHaveLength(1);
  });
});

describe("holds", () => {
  const HOLD = "CURSOR_QUOTA_HOLD";

  test("a held job gets one receipt an episode, a deliveries entry each pass, and no letter", async () => {
    fleet.put({ harness: "cursor-agent" });
    for (let n = 0; n < 5; n++) {
      const pass = await fleet.deliver();
      expect(verdict(pass)).toBe(`HOLD ${HOLD}`);
      expect(pass.deliveries).toEqual([{ ok: true, state: HOLD, job_id: TRAIN, attempt_id: `${TRAIN}-hold`, road: "none" }]);
      expect(pass).toMatchObject({ ok: true, hold_count: 1, delivered_count: 0, invoke_model_count: 0 });
      fleet.clock.step(QUARTER);
    }
    expect(await fleet.receipts("cursor_quota_hold")).toEqual([
      { attempt_id: `${TRAIN}-hold`, event: "cursor_quota_hold", carrier: HOLD, ts: atNoon(0), id: TRAIN },
    ]);
    expect(await fleet.job()).toMatchObject({ attempt_count: 0, status: "OPEN" });
    expect(mailed()).toEqual([]);
  });

  test("without --deliver nothing is written", async () => {
    fleet.put({ harness: "cursor-agent" });
    const before = fleet.text();
    expect(await fleet.tick()).toMatchObject({ hold_count: 1, deliveries: [] });
    expect(fleet.text()).toBe(before);
  });

  test("lifted and put back, the next episode has its own receipt after the wake between them", async () => {
    const { rules } = fleet;
    fleet.put({ harness: "cursor-agent" });
    await fleet.deliver();
    fleet.rules = [];
    expect(verdict(await fleet.deliver())).toBe("WAKE RUNNABLE");
    fleet.rules = rules;
    fleet.clock.step(QUARTER);
    for (let n = 0; n < 3; n++) expect(verdict(await fleet.deliver())).toBe(`HOLD ${HOLD}`);
    const events = (await fleet.job()).event_receipts.map(({ event }) => event);
    expect(events).toEqual(["cursor_quota_hold", "wake", "deliver", "cursor_quota_hold"]);
  });

  test("no letter leaves for a job whose mail was owed when the hold came; lifted, the owed mail goes out", async () => {
    const { rules } = fleet;
    fleet.rules = [];
    fleet.put({ harness: "cursor-agent" });
    fleet.mailer.weather = "down";
    await fleet.deliver();
    fleet.rules = rules;
    fleet.mailer.weather = "up";
    fleet.clock.step(60);
    expect(verdict(await fleet.deliver())).toBe("STOP LEASE_HELD");
    fleet.clock.step(QUARTER);
    expect(verdict(await fleet.deliver())).toBe(`HOLD ${HOLD}`);
    expect(mailed()).toEqual([]);
    fleet.rules = [];
    expect(verdict(await fleet.deliver())).toBe("WAKE REDELIVER");
    expect(mailed()).toEqual([FIRST]);
    expect(await fleet.job()).toMatchObject({ attempt_count: 1 });
  });

  test("an owner's own hold answers under its own name", async () => {
    fleet.rules = [...fleet.rules, { name: "NIGHT_HOLD", match: ["script"], note: "not at night" }];
    fleet.put();
    expect((await fleet.deliver()).deliveries).toMatchObject([{ state: "NIGHT_HOLD", road: "none" }]);
    expect(await fleet.receipts("night_hold")).toMatchObject([{ carrier: "NIGHT_HOLD", attempt_id: `${TRAIN}-hold` }]);
  });

  test.each([
    ["not due", { next_wake_at: atNoon(60) }, "NOT_DUE"],
    ["blocked", { status: "BLOCKED" }, "BLOCKED_UNCHANGED"],
    ["leased", { status: "LEASED", lease: { lease_id: "l", holder: "h", until: atNoon(60) } }, "LEASE_HELD"],
  ])("a held job that is %s gets no receipt: the earlier rule wins", async (_what, fields, reason) => {
    fleet.put({ harness: "cursor-agent", ...fields });
    const before = fleet.text();
    expect(await fleet.deliver()).toMatchObject({ jobs: [{ reason }], deliveries: [] });
    expect(fleet.text()).toBe(before);
  });
});

test("a dry run with --deliver mails nothing and writes nothing", async () => {
  fleet.put();
  const before = fleet.text();
  const pass = await runTick(fleet, { workerId: "gh-watchdog", dryRun: true });
  expect(verdict(pass)).toBe("WAKE RUNNABLE");
  expect(mailed()).toEqual([]);
  expect(fleet.text()).toBe(before);
});
