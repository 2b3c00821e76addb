import { describe, expect, test } from "vitest";
import type { TickFacts } from "../../src/job/decide.ts";
import type { Job } from "../../src/job/job.ts";
import type { Receipt } from "../../src/job/receipt.ts";
import { viewOf } from "../../src/report/job-view.ts";
import { jobOf, TRAIN } from "../support/job-builder.ts";
import { atNoon } from "../support/noon.ts";
import { factsAtNoon, pagesAll } from "../support/tick-once.ts";
import { mailReceipt, WOKEN_AT_STEP_0, wakeReceipt } from "../support/woken-job.ts";

const DELIVER = { deliver: true } as const;
const LIVE = { status: "LEASED", lease: { lease_id: "lease-1", holder: "harness-a", until: atNoon(600) } } as const;
const OVER = { status: "LEASED", lease: { lease_id: "lease-1", holder: "harness-a", until: atNoon(-60) } } as const;
const OWED = wakeReceipt(-900, { mail: "owed" });
const CLAIM: Receipt = { attempt_id: `${TRAIN}-a01`, event: "delivery_claim", ts: atNoon(-800), worker_id: "harness-a" };
const ACK: Receipt = { attempt_id: `${TRAIN}-a01`, event: "ack", ts: atNoon(-700) };
const RELEASE: Receipt = { attempt_id: `${TRAIN}-a01`, event: "release", ts: atNoon(-700) };
const BLOCKER = { kind: "external_authority", detail: "needs a key", fingerprint: "0123456789abcdef" } as const;
const ON_PAGE = { completion_predicate: { type: "result_address_on_head" }, result_address: TRAIN } as const;

const LATER = { next_wake_at: atNoon(900) };

function woken(event_receipts: readonly Receipt[], fields: Partial<Job> = {}): Partial<Job> {
  return { ...WOKEN_AT_STEP_0, event_receipts, next_wake_at: atNoon(-900), ...fields };
}

function see(fields: Partial<Job>, facts: Partial<TickFacts> = {}) {
  return viewOf(jobOf(fields), factsAtNoon(facts));
}

test.each<[state: string, Partial<Job>, Partial<TickFacts>?]>([
  ["waiting", LATER],
  ["due", { next_wake_at: atNoon(-60) }],
  ["overdue", { next_wake_at: atNoon(-3600) }],
  ["due", { next_wake_at: atNoon(-90_000), updated_at: atNoon() }],
  ["overdue", { next_wake_at: atNoon(-90_000), updated_at: atNoon(-3600) }],
  ["overdue", { next_wake_at: atNoon(-90_000), updated_at: atNoon(60) }],
  ["overdue", { ...LATER, tokens_used: 100_000, updated_at: atNoon(-3600) }],
  ["due", { ...LATER, deadline: atNoon(-60) }],
  ["overdue", { ...LATER, deadline: atNoon(-3600) }],
  ["due", { ...LATER, tokens_used: 100_000 }],
  ["due", { ...LATER, ...ON_PAGE }, { pages: pagesAll("durable") }],
  ["due", { ...LATER, ...ON_PAGE, updated_at: atNoon(-90_000) }, { pages: pagesAll("durable") }],
  ["page unknown", { ...ON_PAGE, next_wake_at: atNoon(-60) }, { pages: pagesAll("unknown") }],
  ["waiting", { ...ON_PAGE, ...LATER }, { pages: pagesAll("unknown") }],
  ["offered", woken([wakeReceipt(-300)], LIVE)],
  ["offered", woken([OWED, mailReceipt(-890)], LIVE), DELIVER],
  ["mail owed", woken([wakeReceipt(-30, { mail: "owed" })], LIVE), DELIVER],
  ["mail failing", woken([OWED, mailReceipt(-30, "FAILED")], LIVE), DELIVER],
  ["mail failing", woken([OWED, mailReceipt(-30, "FAILED")], OVER), DELIVER],
  ["offered", woken([OWED, mailReceipt(-60, "FAILED"), mailReceipt(-30)], LIVE), DELIVER],
  ["working", woken([OWED, mailReceipt(-890), CLAIM], LIVE), DELIVER],
  ["working", woken([OWED, CLAIM], { ...LIVE, deadline: atNoon(-7200) })],
  ["lapsed", woken([OWED, CLAIM], OVER)],
  ["unclaimed", woken([OWED, mailReceipt(-890)], OVER), DELIVER],
  ["unclaimed", woken([wakeReceipt(-900)], OVER)],
  ["unclaimed", woken([OWED, mailReceipt(-890)], { status: "OPEN", in_backoff: true, ...LATER }), DELIVER],
  ["backing off", woken([wakeReceipt(-900)], { status: "OPEN", in_backoff: true, ...LATER })],
  ["waiting", woken([OWED, CLAIM, ACK], { status: "OPEN", ...LATER })],
  ["due", woken([OWED, mailReceipt(-890), RELEASE], { status: "OPEN", in_backoff: true }), DELIVER],
  ["blocked", { status: "BLOCKED", blocker: BLOCKER, last_blocker_fingerprint: BLOCKER.fingerprint }],
  ["working", woken([OWED, CLAIM], { ...LIVE, blocker: BLOCKER })],
  ["held", { harness: "cursor-cli", next_wake_at: atNoon(-7200) }],
  ["held", { harness: "cursor-cli", ...LATER }],
  ["done", { status: "DONE" }],
  ["cancelled", { status: "CANCELLED" }],
  ["exhausted", { status: "EXHAUSTED", exhausted_reason: "BUDGET" }],
])("%s: %j", (state, fields, facts) => {
  expect(see(fields, facts)).toMatchObject({ state });
});

describe("what needs a person says why, and what to do", () => {
  test.each<[Partial<Job>, why: string, remedy: string]>([
    [{ status: "EXHAUSTED", exhausted_reason: "BUDGET" }, "BUDGET", "create a new job"],
    [{ status: "BLOCKED", blocker: BLOCKER }, "external_authority: needs a key", `harness-wake unblock ${TRAIN}`],
    [{ next_wake_at: atNoon(-3600) }, "no tick", "harness-wake doctor"],
    [woken([wakeReceipt(-900)], OVER), `${TRAIN}-a01 was offered once`, "harness-wake work --harness script"],
    [
      woken(
        [
          OWED,
          {
            ...mailReceipt(-30, "FAILED"),
            count: 3,
            host: "https://ntfy.example.net",
            http_status: 503,
            error: "HTTP 503",
          },
        ],
        LIVE,
      ),
      "https://ntfy.example.net: HTTP 503 (failed 3 times)",
      "harness-wake doctor",
    ],
  ])("%j", (fields, why, remedy) => {
    expect(see(fields, DELIVER).need).toEqual({ why: expect.stringContaining(why), remedy: expect.stringContaining(remedy) });
  });

  test("mail that is owed for an hour, and not before", () => {
    const owed = (since: number) => woken([wakeReceipt(since, { mail: "owed" })], { ...LIVE, last_wake_at: atNoon(since) });
    expect(see(owed(-3599)).need).toBeNull();
    expect(see(owed(-3600)).need).toMatchObject({ remedy: expect.stringContaining("--deliver") });
  });
});

describe("the next moment is when the next tick would do something, and what", () => {
  test.each<[Partial<Job>, Partial<TickFacts>, object | null]>([
    [LATER, {}, { at: atNoon(900), action: "WAKE", reason: "RUNNABLE" }],
    [{ next_wake_at: atNoon(-60) }, {}, { at: atNoon(), action: "WAKE", reason: "RUNNABLE" }],
    [woken([OWED, CLAIM], LIVE), {}, { at: atNoon(600), action: "BACKOFF", reason: "UNCHANGED_CHECKPOINT" }],
    [woken([OWED, mailReceipt(-890)], LIVE), DELIVER, { at: atNoon(600), action: "BACKOFF", reason: "UNCLAIMED" }],
    [woken([wakeReceipt(-30, { mail: "owed" })], LIVE), DELIVER, { at: atNoon(30), action: "WAKE", reason: "REDELIVER" }],
    [{ ...LATER, harness: "cursor", deadline: atNoon(7200) }, {}, { at: atNoon(7200), action: "STOP", reason: "DEADLINE" }],
    [{ status: "BLOCKED", deadline: atNoon(7200) }, {}, { at: atNoon(7200), action: "STOP", reason: "DEADLINE" }],
    [{ status: "DONE" }, {}, null],
  ])("%j under %j", (fields, facts, next) => {
    expect(see(fields, facts).next).toEqual(next);
  });
});
