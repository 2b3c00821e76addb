import { describe, expect, test } from "vitest";
import { CURSOR_QUOTA_HOLD } from "../../src/job/hold.ts";
import type { Job } from "../../src/job/job.ts";
import { attemptId, isClaimed, isMailOwed, isUnanswered, isWokenCheckpoint, latestOffer } from "../../src/job/offer.ts";
import type { Receipt } from "../../src/job/receipt.ts";
import { jobOf, TRAIN } from "../support/job-builder.ts";
import { atNoon, NOON } from "../support/noon.ts";
import { mailReceipt, STEP_0_SHA256, WOKEN_AT_STEP_0, wakeReceipt } from "../support/woken-job.ts";

const A01 = `${TRAIN}-a01`;

function jobWith(receipts: readonly Receipt[], fields: Partial<Job> = {}): Job {
  return jobOf({ ...WOKEN_AT_STEP_0, event_receipts: receipts, ...fields });
}

test("an attempt is numbered with at least two digits, counted from 01", () => {
  expect([1, 9, 10, 99, 100, 1_000_000].map((n) => attemptId("harbor-01", n))).toEqual([
    "harbor-01-a01",
    "harbor-01-a09",
    "harbor-01-a10",
    "harbor-01-a99",
    "harbor-01-a100",
    "harbor-01-a1000000",
  ]);
});

describe("the latest wake", () => {
  test("is the last wake receipt, and what came after it", () => {
    const job = jobWith([
      wakeReceipt(-100),
      mailReceipt(-90),
      wakeReceipt(-50, { lease_id: "lease-2", mail: "owed" }),
      mailReceipt(-40),
    ]);
    expect(latestOffer(job)).toMatchObject({ attempt_id: A01, lease_id: "lease-2", at: NOON - 50, isPromised: true });
    expect(latestOffer(job)?.since).toEqual([mailReceipt(-40)]);
  });

  test("is none on a job that never woke", () => {
    expect(latestOffer(jobWith([mailReceipt(0)]))).toBeUndefined();
  });

  test("of an older file may have no lease_id, and promises no mail", () => {
    expect(latestOffer(jobWith([{ attempt_id: A01, event: "wake", ts: atNoon() }]))).toMatchObject({
      lease_id: "",
      isPromised: false,
    });
  });
});

describe("an attempt is claimed when one of its receipts is", () => {
  test.each(["delivery_claim", "checkpoint", "ack", "failed"])("%s", (event) => {
    expect(isClaimed(jobWith([wakeReceipt(0), { attempt_id: A01, event, ts: atNoon() }]), A01)).toBe(true);
    expect(isClaimed(jobWith([wakeReceipt(0), { attempt_id: `${TRAIN}-a02`, event, ts: atNoon() }]), A01)).toBe(false);
  });

  test("and not by any other event", () => {
    const others = ["wake", "deliver", "observed", "complete"].map((event) => ({ attempt_id: A01, event, ts: atNoon() }));
    expect(isClaimed(jobWith(others), A01)).toBe(false);
  });
});

describe("an offer is mailed when a deliver MAIL of its attempt stands after it, and then owes no mail", () => {
  const OWED = wakeReceipt(0, { mail: "owed" });
  const owesMail = (receipts: readonly Receipt[]): boolean => {
    const job = jobWith(receipts);
    const offer = latestOffer(job);
    return offer !== undefined && isMailOwed(job, offer, []);
  };
  test("after it", () => expect(owesMail([OWED, mailReceipt(0)])).toBe(false));
  test("before it does not count: that was an earlier offer", () => expect(owesMail([mailReceipt(0), OWED])).toBe(true));
  test("a FAILED one does not count", () => expect(owesMail([OWED, mailReceipt(0, "FAILED")])).toBe(true));
  test("another attempt's does not count", () =>
    expect(owesMail([OWED, { ...mailReceipt(0), attempt_id: `${TRAIN}-a02` }])).toBe(true));
});

describe("the checkpoint is the woken one", () => {
  test("by its sha256", () => {
    expect(isWokenCheckpoint(jobOf(WOKEN_AT_STEP_0))).toBe(true);
    expect(isWokenCheckpoint(jobOf({ ...WOKEN_AT_STEP_0, checkpoint: { step: 1 } }))).toBe(false);
  });

  test("by its _fp where a file has only that", () => {
    const fpOnly = { ...WOKEN_AT_STEP_0, last_wake_checkpoint_sha256: null };
    expect(isWokenCheckpoint(jobOf(fpOnly))).toBe(true);
    expect(isWokenCheckpoint(jobOf({ ...fpOnly, checkpoint: { step: 1 } }))).toBe(false);
  });

  test("by its sha256 before its _fp", () => {
    const differing = { last_wake_checkpoint_sha256: "0".repeat(64), last_wake_checkpoint_fp: STEP_0_SHA256.slice(0, 16) };
    expect(isWokenCheckpoint(jobOf(differing))).toBe(false);
  });

  test("never on a job that never woke", () => expect(isWokenCheckpoint(jobOf())).toBe(false));
});

describe("mail is owed when the wake receipt says so", () => {
  const OWED = [wakeReceipt(-100, { mail: "owed" })];
  const isOwed = (job: Job): boolean => {
    const wake = latestOffer(job);
    return wake !== undefined && isMailOwed(job, wake, [CURSOR_QUOTA_HOLD]);
  };

  test("and nothing else has happened", () => {
    expect(isOwed(jobWith(OWED))).toBe(true);
    expect(isOwed(jobWith([...OWED, mailReceipt(-90, "FAILED")]))).toBe(true);
  });

  test.each<[string, Job]>([
    ["it does not say so", jobWith([wakeReceipt(-100)])],
    ["it is mailed", jobWith([...OWED, mailReceipt(-90)])],
    ["its attempt is claimed", jobWith([...OWED, { attempt_id: A01, event: "delivery_claim", ts: atNoon() }])],
    ["a hold covers the harness", jobWith(OWED, { harness: "cursor-cli" })],
    ["the job is terminal", jobWith(OWED, { status: "CANCELLED" })],
    ["the job is blocked", jobWith(OWED, { status: "BLOCKED" })],
    ["the job has a blocker", jobWith(OWED, { blocker: { kind: "unavailable_state", detail: "x", fingerprint: "y" } })],
  ])("but not where %s", (_why, job) => {
    expect(isOwed(job)).toBe(false);
  });
});

test("an offer is unanswered when it is promised and its attempt is not claimed, wherever the checkpoint is", () => {
  const unanswered = (job: Job): boolean | undefined => {
    const wake = latestOffer(job);
    return wake && isUnanswered(job, wake);
  };
  const promised = wakeReceipt(0, { mail: "owed" });
  expect(unanswered(jobWith([promised]))).toBe(true);
  expect(unanswered(jobWith([wakeReceipt(0)]))).toBe(false);
  expect(unanswered(jobWith([promised, { attempt_id: A01, event: "failed", ts: atNoon() }]))).toBe(false);
  expect(unanswered(jobWith([promised], { checkpoint: { step: 1 } }))).toBe(true);
});
