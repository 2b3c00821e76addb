import { describe, expect, test } from "vitest";
import { blockerOf } from "../../../src/job/blocker.ts";
import type { Change } from "../../../src/job/decide.ts";
import { asDocument, requireJob } from "../../../src/job/file/parse-job.ts";
import { CURSOR_QUOTA_HOLD } from "../../../src/job/hold.ts";
import type { Job } from "../../../src/job/job.ts";
import { leaseEnd } from "../../../src/job/moves/lease-end.ts";
import { applyChange } from "../../../src/job/moves/tick-changes.ts";
import { isWokenCheckpoint } from "../../../src/job/offer.ts";
import { parseLossless } from "../../../src/json/lossless-json.ts";
import { jobOf, TRAIN } from "../../support/job-builder.ts";
import { atNoon, NOON } from "../../support/noon.ts";
import { mailReceipt, STEP_0_SHA256, WOKEN_AT_STEP_0, wakeReceipt } from "../../support/woken-job.ts";

const FACTS = { now: NOON, promisesMail: false, worker_id: "gh-watchdog", lease_id: "lease-fresh" };
const LEASE_OVER = { status: "LEASED", lease: { lease_id: "lease-1", holder: "w", until: atNoon(-1) } } as const;
const LEASE_LIVE = { status: "LEASED", lease: { lease_id: "lease-1", holder: "w", until: atNoon(9) } } as const;
const BLOCKER = blockerOf("external_authority", "needs a key");

function moved(fields: Partial<Job>, change: Change, facts: Partial<typeof FACTS> = {}): Job {
  return applyChange(jobOf(fields), change, { ...FACTS, ...facts });
}

test("DONE: lease null, completed_at, receipt auto_complete", () => {
  const job = moved(LEASE_LIVE, { kind: "complete" });
  expect(job).toMatchObject({ status: "DONE", lease: null, completed_at: atNoon(), updated_at: atNoon() });
  expect(job.event_receipts).toEqual([{ attempt_id: `${TRAIN}-auto-done`, event: "auto_complete", ts: atNoon() }]);
});

test.each(["DEADLINE", "BUDGET", "MAX_ATTEMPTS", "NO_PROGRESS"] as const)(
  "exhausting by %s sets exhausted_reason, lease null, and appends a receipt exhaust",
  (reason) => {
    const job = moved({ ...LEASE_LIVE, event_receipts: [wakeReceipt(-9)] }, { kind: "exhaust", reason });
    expect(job).toMatchObject({ status: "EXHAUSTED", exhausted_reason: reason, lease: null });
    expect(job.event_receipts).toEqual([
      wakeReceipt(-9),
      { attempt_id: `${TRAIN}-exhaust`, event: "exhaust", reason, ts: atNoon() },
    ]);
  },
);

test("5b: BLOCKED, fingerprint remembered, the blocker stays", () => {
  expect(moved({ blocker: BLOCKER }, { kind: "remember_blocker" })).toMatchObject({
    status: "BLOCKED",
    blocker: BLOCKER,
    last_blocker_fingerprint: BLOCKER.fingerprint,
  });
});

describe("5c: blocker null, fingerprint remembered", () => {
  const changed = { blocker: BLOCKER, last_blocker_fingerprint: "another" };
  test("LEASED if a lease is live", () => {
    expect(moved({ ...LEASE_LIVE, ...changed, status: "BLOCKED" }, { kind: "drop_blocker" })).toMatchObject({
      status: "LEASED",
      blocker: null,
      last_blocker_fingerprint: BLOCKER.fingerprint,
      lease: LEASE_LIVE.lease,
    });
  });
  test.each([[LEASE_OVER], [{ lease: null }]])("else OPEN", (lease) => {
    expect(moved({ ...lease, ...changed, status: "BLOCKED" }, { kind: "drop_blocker" })).toMatchObject({
      status: "OPEN",
      blocker: null,
    });
  });
});

test("a held job gets one local receipt that says so, and nothing else", () => {
  const before = jobOf({ harness: "cursor" });
  const after = applyChange(before, { kind: "note_hold", hold: CURSOR_QUOTA_HOLD }, FACTS);
  const receipt = {
    attempt_id: `${TRAIN}-hold`,
    carrier: "CURSOR_QUOTA_HOLD",
    event: "cursor_quota_hold",
    id: TRAIN,
    ts: atNoon(),
  };
  expect(after).toEqual({ ...before, event_receipts: [receipt], updated_at: atNoon() });
});

describe("13: a wake", () => {
  test("is attempt_count+1, LEASED, a lease of lease_seconds, woke_once, last_wake_*, in_backoff false, receipt wake", () => {
    const job = moved({ ...LEASE_OVER, attempt_count: 8, in_backoff: true, lease_seconds: 60 }, { kind: "wake" });
    expect(job).toMatchObject({
      attempt_count: 9,
      status: "LEASED",
      lease: { lease_id: "lease-fresh", holder: "gh-watchdog", until: atNoon(60) },
      woke_once: true,
      in_backoff: false,
      last_wake_at: atNoon(),
      last_wake_checkpoint_sha256: STEP_0_SHA256,
      last_wake_checkpoint_fp: STEP_0_SHA256.slice(0, 16),
      updated_at: atNoon(),
    });
    expect(job.event_receipts).toEqual([
      { attempt_id: `${TRAIN}-a09`, event: "wake", lease_id: "lease-fresh", worker_id: "gh-watchdog", ts: atNoon() },
    ]);
  });

  test('minted with --deliver says mail: "owed"', () => {
    expect(moved({}, { kind: "wake" }, { promisesMail: true }).event_receipts[0]).toMatchObject({ event: "wake", mail: "owed" });
    expect(moved({}, { kind: "wake" }).event_receipts[0]).not.toHaveProperty("mail");
  });

  test("remembers the checkpoint as it stands in the file: 1.0 is not 1", () => {
    const document = { ...asDocument(jobOf()), checkpoint: parseLossless('{"big":1234567890123456789,"f":1.0}') };
    expect(applyChange(requireJob(document, "x.json"), { kind: "wake" }, FACTS).last_wake_checkpoint_sha256).toBe(
      "40146af48675c5ca89a3c902d8760f4ace0012f3938896bb57247c2a437811e0",
    );
  });
});

describe("REDELIVER and REOFFER", () => {
  const offered = {
    ...WOKEN_AT_STEP_0,
    ...LEASE_OVER,
    attempt_count: 3,
    unclaimed_count: 2,
    no_progress_count: 1,
    in_backoff: true,
  };

  test("the same attempt again, with a fresh lease; its wake receipt moves to the end and is counted", () => {
    const job = moved(
      { ...offered, event_receipts: [wakeReceipt(-900, { mail: "owed" }), mailReceipt(-900)] },
      { kind: "offer_again", endsBackoff: false },
      { promisesMail: true },
    );
    expect(job).toMatchObject({
      attempt_count: 3,
      unclaimed_count: 2,
      no_progress_count: 1,
      in_backoff: true,
      status: "LEASED",
    });
    expect(job.lease).toEqual({ lease_id: "lease-fresh", holder: "gh-watchdog", until: atNoon(900) });
    expect(job.event_receipts).toEqual([
      mailReceipt(-900),
      {
        attempt_id: `${TRAIN}-a01`,
        count: 2,
        event: "wake",
        lease_id: "lease-fresh",
        worker_id: "gh-watchdog",
        mail: "owed",
        ts: atNoon(),
      },
    ]);
  });

  test("REOFFER ends the back-off, a promise is neither made nor broken, and a checkpoint that moved is progress", () => {
    const job = moved(
      { ...offered, checkpoint: { step: 7 }, event_receipts: [wakeReceipt(-900)] },
      { kind: "offer_again", endsBackoff: true },
      { promisesMail: true },
    );
    expect(job).toMatchObject({ in_backoff: false, no_progress_count: 0 });
    expect(isWokenCheckpoint(job)).toBe(true);
    expect(job.event_receipts.at(-1)).not.toHaveProperty("mail");
  });

  test("a fleet that mails keeps promising, whoever ticks, and no number is used twice", () => {
    const job = moved(
      { attempt_count: 1, event_receipts: [{ ...wakeReceipt(-9, { mail: "owed" }), attempt_id: `${TRAIN}-a07` }] },
      { kind: "wake" },
    );
    expect(job.attempt_count).toBe(8);
    expect(job.event_receipts.at(-1)).toMatchObject({ attempt_id: `${TRAIN}-a08`, mail: "owed" });
  });

  test("leave last_wake_* as the first wake wrote it", () => {
    expect(
      moved({ ...offered, event_receipts: [wakeReceipt(-900)] }, { kind: "offer_again", endsBackoff: false }).last_wake_at,
    ).toBe(atNoon(-3600));
  });
});

describe("a lease ends lease_seconds from now", () => {
  test("and a clock that went back shortens none", () => {
    const lease = { lease_id: "l", holder: "w", until: atNoon(5000) };
    expect(leaseEnd({ lease, lease_seconds: 900 }, NOON)).toBe(atNoon(5000));
    expect(leaseEnd({ lease: null, lease_seconds: 900 }, NOON)).toBe(atNoon(900));
  });

  test("or with the year 9999", () => {
    expect(leaseEnd({ lease: null, lease_seconds: 900 }, 253_402_300_700)).toBe("9999-12-31T23:59:59Z");
  });
});

describe("a backoff is min(backoff·2^count, cap) from now, the count after it was raised", () => {
  test.each([
    [0, 120],
    [1, 240],
    [4, 1920],
    [5, 3600],
    [6, 3600],
    [5000, 3600],
    [1_000_000, 3600],
  ])("after %i of them %i s", (count, seconds) => {
    const unclaimed = moved({ ...LEASE_OVER, unclaimed_count: count }, { kind: "back_off", reason: "UNCLAIMED" });
    expect(unclaimed).toMatchObject({ unclaimed_count: count + 1, no_progress_count: 0, next_wake_at: atNoon(seconds) });
    const stalled = moved({ ...LEASE_OVER, no_progress_count: count }, { kind: "back_off", reason: "UNCHANGED_CHECKPOINT" });
    expect(stalled).toMatchObject({ no_progress_count: count + 1, unclaimed_count: 0, next_wake_at: atNoon(seconds) });
  });

  test("in_backoff, OPEN, lease null, and backoff_seconds is never rewritten", () => {
    const job = moved({ ...LEASE_OVER, backoff_seconds: 7 }, { kind: "back_off", reason: "UNCLAIMED" });
    expect(job).toMatchObject({ in_backoff: true, status: "OPEN", lease: null, backoff_seconds: 7, next_wake_at: atNoon(14) });
  });

  test("a cap below the base caps the first one too", () => {
    const fields = { backoff_seconds: 600, max_backoff_seconds: 30 };
    expect(moved(fields, { kind: "back_off", reason: "UNCLAIMED" }).next_wake_at).toBe(atNoon(30));
  });
});
