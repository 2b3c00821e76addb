import { describe, expect, test } from "vitest";
import { blockerOf } from "../../src/job/blocker.ts";
import { decide, type TickFacts } from "../../src/job/decide.ts";
import type { Job } from "../../src/job/job.ts";
import type { Receipt } from "../../src/job/receipt.ts";
import { jobOf, TRAIN } from "../support/job-builder.ts";
import { atNoon, NOON } from "../support/noon.ts";
import { factsAtNoon, pagesAll } from "../support/tick-once.ts";
import { mailReceipt, WOKEN_AT_STEP_0, wakeReceipt } from "../support/woken-job.ts";

const DELIVER = { deliver: true };
const DURABLE = { pages: pagesAll("durable") };
const ABSENT = { pages: pagesAll("absent") };

const LEASE_LIVE = { status: "LEASED", lease: { lease_id: "lease-1", holder: "gh-watchdog", until: atNoon(1) } } as const;
const LEASE_OVER = { status: "LEASED", lease: { lease_id: "lease-1", holder: "gh-watchdog", until: atNoon() } } as const;
const BLOCKER = blockerOf("external_authority", "needs a key");
const ON_PAGE = { completion_predicate: { type: "result_address_on_head" }, result_address: TRAIN } as const;
const OWED = [wakeReceipt(-900, { mail: "owed" })];
const MAILED = [...OWED, mailReceipt(-900)];

function woken(event_receipts: readonly Receipt[], fields: Partial<Job> = {}): Partial<Job> {
  return { ...WOKEN_AT_STEP_0, ...LEASE_OVER, event_receipts, ...fields };
}

/** `STOP LEASE_HELD: drop_blocker`: the verdict, and the kinds of its changes. */
function verdictOn(fields: Partial<Job>, facts: Partial<TickFacts> = {}): string {
  const decision = decide(jobOf(fields), factsAtNoon(facts));
  if (decision.action === "ASK_PAGE" || decision.action === "CANNOT_TELL") return `${decision.action} ${decision.address}`;
  const changes = decision.changes.map(({ kind }) => kind).join(" ");
  return `${decision.action} ${decision.reason}${changes && `: ${changes}`}`;
}

describe("1: a terminal status stops", () => {
  test.each(["DONE", "CANCELLED", "EXHAUSTED"] as const)("%s, whatever else is so", (status) => {
    expect(verdictOn({ status })).toBe(`STOP ${status}`);
    const everything = {
      ...ON_PAGE,
      ...LEASE_LIVE,
      blocker: BLOCKER,
      deadline: atNoon(-1),
      tokens_used: 1e6,
      harness: "cursor",
      status,
    };
    expect(verdictOn(everything, { ...DELIVER, ...DURABLE })).toBe(`STOP ${status}`);
  });
});

describe("2: the completion predicate holds and its page is durable: DONE", () => {
  test("for result_address_on_head", () => expect(verdictOn(ON_PAGE, DURABLE)).toBe("STOP DONE: complete"));

  test("for checkpoint_equals", () => {
    const reached = { ...ON_PAGE, completion_predicate: { type: "checkpoint_equals", value: 0 } } as const;
    expect(verdictOn(reached, DURABLE)).toBe("STOP DONE: complete");
  });

  test("before deadline, budget, blocker, lease, hold and attempts are looked at", () => {
    const everything = { ...ON_PAGE, ...LEASE_LIVE, deadline: atNoon(-1), tokens_used: 1e6, blocker: BLOCKER, harness: "cursor" };
    expect(verdictOn(everything, DURABLE)).toBe("STOP DONE: complete");
    expect(verdictOn({ ...ON_PAGE, next_wake_at: atNoon(9) }, DURABLE)).toBe("STOP DONE: complete");
  });

  test("an absent page lets it go on", () => expect(verdictOn(ON_PAGE, ABSENT)).toBe("WAKE RUNNABLE: wake"));

  test("status_done is never met by a tick", () => {
    expect(verdictOn({ result_address: TRAIN, completion_predicate: { type: "status_done" } }, DURABLE)).toBe(
      "WAKE RUNNABLE: wake",
    );
  });

  test('with result_address "" it never matches, and no page is asked for', () => {
    expect(verdictOn({ ...ON_PAGE, result_address: "" }, DURABLE)).toBe("WAKE RUNNABLE: wake");
    expect(verdictOn({ ...ON_PAGE, result_address: "" })).toBe("WAKE RUNNABLE: wake");
  });

  test("the page is asked for only when the rest of the predicate already holds", () => {
    const waiting = { ...ON_PAGE, completion_predicate: { type: "checkpoint_equals", value: 7 } } as const;
    expect(verdictOn(ON_PAGE)).toBe(`ASK_PAGE ${TRAIN}`);
    expect(verdictOn({ ...waiting, checkpoint: { step: 7 } })).toBe(`ASK_PAGE ${TRAIN}`);
    expect(verdictOn(waiting)).toBe("WAKE RUNNABLE: wake");
  });
});

describe("3: now ≥ deadline exhausts", () => {
  test("at the deadline", () => expect(verdictOn({ deadline: atNoon() })).toBe("STOP DEADLINE: exhaust"));
  test("not a second before", () => expect(verdictOn({ deadline: atNoon(1) })).toBe("WAKE RUNNABLE: wake"));
  test("the moment counts, not its spelling", () => {
    expect(verdictOn({ deadline: "2026-11-30T13:00:00+01:00" })).toBe("STOP DEADLINE: exhaust");
    expect(verdictOn({ deadline: "2026-11-30T11:00:01-01:00" })).toBe("WAKE RUNNABLE: wake");
  });
  test("before budget, blocker, lease, due time and hold are looked at", () => {
    const everything = {
      ...LEASE_LIVE,
      deadline: atNoon(),
      tokens_used: 1e6,
      blocker: BLOCKER,
      next_wake_at: atNoon(9),
      harness: "cursor",
    };
    expect(verdictOn(everything)).toBe("STOP DEADLINE: exhaust");
  });
});

describe("4: tokens_used ≥ budget_tokens exhausts", () => {
  test("at the budget", () => expect(verdictOn({ tokens_used: 10, budget_tokens: 10 })).toBe("STOP BUDGET: exhaust"));
  test("not one below", () => expect(verdictOn({ tokens_used: 9, budget_tokens: 10 })).toBe("WAKE RUNNABLE: wake"));
  test("before blocker, lease, due time and hold are looked at", () => {
    const everything = { ...LEASE_LIVE, tokens_used: 1e6, blocker: BLOCKER, next_wake_at: atNoon(9), harness: "cursor" };
    expect(verdictOn(everything)).toBe("STOP BUDGET: exhaust");
  });
});

describe("5: a blocker stops", () => {
  test("whose fingerprint is last_blocker_fingerprint", () => {
    const blocked = { status: "BLOCKED", blocker: BLOCKER, last_blocker_fingerprint: BLOCKER.fingerprint } as const;
    expect(verdictOn(blocked)).toBe("STOP BLOCKED_UNCHANGED");
    expect(verdictOn({ ...blocked, status: "OPEN" })).toBe("STOP BLOCKED_UNCHANGED");
    expect(verdictOn({ ...blocked, ...LEASE_LIVE })).toBe("STOP BLOCKED_UNCHANGED");
  });

  test("and so does BLOCKED with no blocker", () => {
    expect(verdictOn({ status: "BLOCKED" })).toBe("STOP BLOCKED_UNCHANGED");
    expect(verdictOn({ status: "BLOCKED", last_blocker_fingerprint: "f" })).toBe("STOP BLOCKED_UNCHANGED");
  });

  test("5b: one that is new, with no last_blocker_fingerprint, is remembered", () => {
    expect(verdictOn({ blocker: BLOCKER })).toBe("STOP BLOCKED_UNCHANGED: remember_blocker");
    expect(verdictOn({ blocker: BLOCKER, last_blocker_fingerprint: null, next_wake_at: atNoon(9) })).toBe(
      "STOP BLOCKED_UNCHANGED: remember_blocker",
    );
  });
});

describe("5c: a blocker that differs from the remembered one goes on at 6, and is dropped also when 6 to 9 then stop", () => {
  const changed = { status: "BLOCKED", blocker: BLOCKER, last_blocker_fingerprint: "another" } as const;

  test("13", () => expect(verdictOn(changed)).toBe("WAKE RUNNABLE: drop_blocker wake"));
  test("6", () => expect(verdictOn({ ...LEASE_LIVE, ...changed })).toBe("STOP LEASE_HELD: drop_blocker"));
  test("7", () => expect(verdictOn({ ...changed, next_wake_at: atNoon(1) })).toBe("STOP NOT_DUE: drop_blocker"));
  test("8", () => expect(verdictOn({ ...changed, harness: "cursor" })).toBe("HOLD CURSOR_QUOTA_HOLD: drop_blocker"));
  test("8 with --deliver", () =>
    expect(verdictOn({ ...changed, harness: "cursor" }, DELIVER)).toBe("HOLD CURSOR_QUOTA_HOLD: drop_blocker note_hold"));
  test("9", () =>
    expect(verdictOn(woken([wakeReceipt(-1, { mail: "owed" })], changed), DELIVER)).toBe("STOP MAIL_OWED: drop_blocker"));
  test("9 with --deliver", () =>
    expect(verdictOn(woken(OWED, changed), DELIVER)).toBe("WAKE REDELIVER: drop_blocker offer_again"));
  test("6 with --deliver", () =>
    expect(verdictOn({ ...woken(OWED), ...LEASE_LIVE, ...changed }, DELIVER)).toBe("WAKE REDELIVER: drop_blocker offer_again"));
  test("10", () => expect(verdictOn(woken(MAILED, changed))).toBe("BACKOFF UNCLAIMED: drop_blocker back_off"));
  test("11", () =>
    expect(verdictOn({ ...changed, attempt_count: 8, max_attempts: 8 })).toBe("STOP MAX_ATTEMPTS: drop_blocker exhaust"));
  test("12", () => expect(verdictOn(woken([], changed))).toBe("BACKOFF UNCHANGED_CHECKPOINT: drop_blocker back_off"));
});

describe("6: a live lease", () => {
  test("stops with LEASE_HELD, whoever ticks", () => expect(verdictOn(LEASE_LIVE)).toBe("STOP LEASE_HELD"));

  test("is over at its until", () => expect(verdictOn(LEASE_OVER)).toBe("WAKE RUNNABLE: wake"));

  test("counts whatever the status says", () => expect(verdictOn({ ...LEASE_LIVE, status: "OPEN" })).toBe("STOP LEASE_HELD"));

  test("stops before due time, hold and attempts are looked at", () => {
    const everything = { ...LEASE_LIVE, next_wake_at: atNoon(9), harness: "cursor", attempt_count: 8, max_attempts: 8 };
    expect(verdictOn(everything, DELIVER)).toBe("STOP LEASE_HELD");
  });

  describe("with --deliver and the latest attempt's mail owed for 60 s or more: WAKE REDELIVER", () => {
    const owedFor = (seconds: number) => ({ ...woken([wakeReceipt(-seconds, { mail: "owed" })]), ...LEASE_LIVE });

    test("60 s", () => expect(verdictOn(owedFor(60), DELIVER)).toBe("WAKE REDELIVER: offer_again"));
    test("59 s are left to the pass that is at it", () => expect(verdictOn(owedFor(59), DELIVER)).toBe("STOP LEASE_HELD"));
    test("not without --deliver", () => expect(verdictOn(owedFor(60))).toBe("STOP LEASE_HELD"));
    test("not under a hold", () => expect(verdictOn({ ...owedFor(60), harness: "cursor" }, DELIVER)).toBe("STOP LEASE_HELD"));
    test("not once it is mailed", () => expect(verdictOn({ ...woken(MAILED), ...LEASE_LIVE }, DELIVER)).toBe("STOP LEASE_HELD"));
    test("not once it is claimed", () => {
      const claim = { attempt_id: `${TRAIN}-a01`, event: "delivery_claim", ts: atNoon(-50) };
      expect(verdictOn({ ...woken([...OWED, claim]), ...LEASE_LIVE }, DELIVER)).toBe("STOP LEASE_HELD");
    });
    test("before next_wake_at too, since the wake was decided already", () =>
      expect(verdictOn({ ...owedFor(60), next_wake_at: atNoon(9) }, DELIVER)).toBe("WAKE REDELIVER: offer_again"));
    test("of the latest wake alone: an older one's age does not count", () => {
      const twice = [wakeReceipt(-900, { mail: "owed" }), wakeReceipt(-5, { mail: "owed", lease_id: "lease-2" })];
      expect(verdictOn({ ...woken(twice), ...LEASE_LIVE }, DELIVER)).toBe("STOP LEASE_HELD");
    });
  });
});

describe("7: now < next_wake_at stops", () => {
  test("a second before", () => expect(verdictOn({ next_wake_at: atNoon(1) })).toBe("STOP NOT_DUE"));
  test("not at it", () => expect(verdictOn({ next_wake_at: atNoon() })).toBe("WAKE RUNNABLE: wake"));
  test("before hold, owed mail and attempts are looked at", () => {
    expect(
      verdictOn(woken(OWED, { next_wake_at: atNoon(1), harness: "cursor", attempt_count: 8, max_attempts: 8 }), DELIVER),
    ).toBe("STOP NOT_DUE");
    expect(verdictOn(woken(OWED, { next_wake_at: atNoon(1) }), DELIVER)).toBe("STOP NOT_DUE");
  });
});

describe("8: a held harness", () => {
  const held = { harness: "Cursor-Agent" };
  const noted = { attempt_id: `${TRAIN}-hold`, event: "cursor_quota_hold", carrier: "CURSOR_QUOTA_HOLD", ts: atNoon(-1) };

  test("answers the hold's state and changes nothing", () => expect(verdictOn(held)).toBe("HOLD CURSOR_QUOTA_HOLD"));
  test("gets one receipt with --deliver", () => expect(verdictOn(held, DELIVER)).toBe("HOLD CURSOR_QUOTA_HOLD: note_hold"));
  test("and no second one", () =>
    expect(verdictOn({ ...held, event_receipts: [noted] }, DELIVER)).toBe("HOLD CURSOR_QUOTA_HOLD"));
  test("but another after its latest wake", () =>
    expect(verdictOn(woken([noted, wakeReceipt(0)], held), DELIVER)).toBe("HOLD CURSOR_QUOTA_HOLD: note_hold"));
  test("before owed mail, unclaimed mail, attempts and stalls are looked at", () => {
    expect(verdictOn(woken(OWED, held))).toBe("HOLD CURSOR_QUOTA_HOLD");
    expect(verdictOn(woken(MAILED, held))).toBe("HOLD CURSOR_QUOTA_HOLD");
    expect(verdictOn({ ...held, attempt_count: 8, max_attempts: 8 })).toBe("HOLD CURSOR_QUOTA_HOLD");
    expect(verdictOn(woken([], held))).toBe("HOLD CURSOR_QUOTA_HOLD");
  });
  test("answers an owner's own hold by its name", () => {
    const holds = [{ name: "X_HOLD" as const, match: ["script"], note: "" }];
    expect(verdictOn({}, { holds })).toBe("HOLD X_HOLD");
  });
  test("is not held once the owner lifted the hold", () => expect(verdictOn(held, { holds: [] })).toBe("WAKE RUNNABLE: wake"));
});

describe("9: the latest attempt's mail is owed", () => {
  test("WAKE REDELIVER with --deliver", () => expect(verdictOn(woken(OWED), DELIVER)).toBe("WAKE REDELIVER: offer_again"));
  test("without, it is offered more slowly, as one that was mailed: a tick by hand burns nothing", () =>
    expect(verdictOn(woken(OWED))).toBe("BACKOFF UNCLAIMED: back_off"));
  test("STOP MAIL_OWED within its grace of 60 s", () => {
    expect(verdictOn(woken([wakeReceipt(-59, { mail: "owed" })]), DELIVER)).toBe("STOP MAIL_OWED");
    expect(verdictOn(woken([wakeReceipt(-60, { mail: "owed" })]), DELIVER)).toBe("WAKE REDELIVER: offer_again");
  });
  test("the grace doubles with each failure, and counts from the last", () => {
    const failed = (seconds: number, count: number) => woken([...OWED, { ...mailReceipt(seconds, "FAILED"), count }]);
    expect(verdictOn(failed(-119, 1), DELIVER)).toBe("STOP MAIL_OWED");
    expect(verdictOn(failed(-120, 1), DELIVER)).toBe("WAKE REDELIVER: offer_again");
    expect(verdictOn(failed(-479, 3), DELIVER)).toBe("STOP MAIL_OWED");
    expect(verdictOn(failed(-480, 3), DELIVER)).toBe("WAKE REDELIVER: offer_again");
  });
  test("the grace is at most an hour, and at most the job's own cap, but never under a minute", () => {
    const failed = (seconds: number, cap: number) =>
      woken([wakeReceipt(-9000, { mail: "owed" }), { ...mailReceipt(seconds, "FAILED"), count: 40 }], {
        max_backoff_seconds: cap,
      });
    expect(verdictOn(failed(-3599, 86_400), DELIVER)).toBe("STOP MAIL_OWED");
    expect(verdictOn(failed(-3600, 86_400), DELIVER)).toBe("WAKE REDELIVER: offer_again");
    expect(verdictOn(failed(-299, 300), DELIVER)).toBe("STOP MAIL_OWED");
    expect(verdictOn(failed(-300, 300), DELIVER)).toBe("WAKE REDELIVER: offer_again");
    expect(verdictOn(failed(-59, 1), DELIVER)).toBe("STOP MAIL_OWED");
    expect(verdictOn(failed(-60, 1), DELIVER)).toBe("WAKE REDELIVER: offer_again");
  });
  test("receipts from the future count for nothing", () => {
    expect(verdictOn(woken([wakeReceipt(7200, { mail: "owed" })]), DELIVER)).toBe("WAKE REDELIVER: offer_again");
    expect(verdictOn(woken([...OWED, { ...mailReceipt(7200, "FAILED"), count: 9 }]), DELIVER)).toBe(
      "WAKE REDELIVER: offer_again",
    );
  });
  test("before attempts and stalls are looked at", () =>
    expect(verdictOn(woken(OWED, { attempt_count: 8, max_attempts: 8 }), DELIVER)).toBe("WAKE REDELIVER: offer_again"));
});

describe("6b: a back-off does not hold up owed mail", () => {
  const backingOff = (seconds: number, fields: Partial<Job> = {}) =>
    woken(OWED, { status: "OPEN", lease: null, in_backoff: true, unclaimed_count: 1, next_wake_at: atNoon(seconds), ...fields });
  test("WAKE REDELIVER with --deliver, before it is due", () =>
    expect(verdictOn(backingOff(120), DELIVER)).toBe("WAKE REDELIVER: offer_again"));
  test("a later next_wake_at is the owner's", () => expect(verdictOn(backingOff(121), DELIVER)).toBe("STOP NOT_DUE"));
  test("not without --deliver, not in its grace, not under a hold, and not outside a back-off", () => {
    expect(verdictOn(backingOff(120))).toBe("STOP NOT_DUE");
    expect(verdictOn(backingOff(120, { event_receipts: [wakeReceipt(-59, { mail: "owed" })] }), DELIVER)).toBe("STOP NOT_DUE");
    expect(verdictOn(backingOff(120, { harness: "cursor" }), DELIVER)).toBe("STOP NOT_DUE");
    expect(verdictOn(backingOff(120, { in_backoff: false }), DELIVER)).toBe("STOP NOT_DUE");
  });
});

describe("3 and 4: a claimant at work comes home first", () => {
  const claimed = { attempt_id: `${TRAIN}-a01`, event: "delivery_claim", ts: atNoon(-50) };
  const live = { lease: { lease_id: "lease-1", holder: "w", until: atNoon(1) } };
  const over = { lease: { lease_id: "lease-1", holder: "w", until: atNoon(0) } };
  test.each([
    ["DEADLINE", { deadline: atNoon(0) }],
    ["BUDGET", { tokens_used: 100_000 }],
  ])("%s waits for a claimed attempt's live lease, and for no other", (reason, fields) => {
    expect(verdictOn(woken([...OWED, claimed], { ...live, ...fields }))).toBe("STOP LEASE_HELD");
    expect(verdictOn(woken([...OWED, claimed], { ...over, ...fields }))).toBe(`STOP ${reason}: exhaust`);
    expect(verdictOn(woken(OWED, { ...live, ...fields }))).toBe(`STOP ${reason}: exhaust`);
  });
});

describe("a page that nobody can tell", () => {
  const unknown = { pages: new Map([[TRAIN, "unknown" as const]]) };
  test("leaves a row that waits as it is", () => {
    expect(verdictOn({ ...ON_PAGE, next_wake_at: atNoon(60) }, unknown)).toBe("STOP NOT_DUE");
    expect(verdictOn({ ...ON_PAGE, harness: "cursor" }, unknown)).toBe("HOLD CURSOR_QUOTA_HOLD");
    expect(verdictOn({ ...ON_PAGE, status: "BLOCKED" }, unknown)).toBe("STOP BLOCKED_UNCHANGED");
  });
  test("keeps a job from being woken, backed off or exhausted", () => {
    expect(verdictOn(ON_PAGE, unknown)).toBe(`CANNOT_TELL ${TRAIN}`);
    expect(verdictOn(woken(MAILED, ON_PAGE), unknown)).toBe(`CANNOT_TELL ${TRAIN}`);
    expect(verdictOn({ ...ON_PAGE, deadline: atNoon(0) }, unknown)).toBe(`CANNOT_TELL ${TRAIN}`);
  });
});

describe("10: the offer is unanswered", () => {
  test("BACKOFF UNCLAIMED", () => expect(verdictOn(woken(MAILED))).toBe("BACKOFF UNCLAIMED: back_off"));
  test("WAKE REOFFER in_backoff", () => expect(verdictOn(woken(MAILED, { in_backoff: true }))).toBe("WAKE REOFFER: offer_again"));
  test("before attempts and stalls are looked at: that nobody took it up burns no attempt", () => {
    const last = { attempt_count: 8, max_attempts: 8, no_progress_count: 7 };
    expect(verdictOn(woken(MAILED, last))).toBe("BACKOFF UNCLAIMED: back_off");
    expect(verdictOn(woken(MAILED, { ...last, in_backoff: true }))).toBe("WAKE REOFFER: offer_again");
  });
  test("not where the attempt was claimed", () => {
    const failed = { attempt_id: `${TRAIN}-a01`, event: "failed", ts: atNoon(-50) };
    expect(verdictOn(woken([...MAILED, failed]))).toBe("BACKOFF UNCHANGED_CHECKPOINT: back_off");
  });
  test("WAKE REOFFER where the checkpoint moved", () =>
    expect(verdictOn(woken(MAILED, { checkpoint: { step: 1 } }))).toBe("WAKE REOFFER: offer_again"));
});

describe("12: attempt_count ≥ max_attempts exhausts", () => {
  test("at it", () => expect(verdictOn({ attempt_count: 8, max_attempts: 8 })).toBe("STOP MAX_ATTEMPTS: exhaust"));
  test("not one below", () => expect(verdictOn({ attempt_count: 7, max_attempts: 8 })).toBe("WAKE RUNNABLE: wake"));
  test("after the last stall is looked at, and before others are", () => {
    expect(verdictOn(woken([], { attempt_count: 8, max_attempts: 8 }))).toBe("STOP MAX_ATTEMPTS: exhaust");
    expect(verdictOn(woken([], { attempt_count: 8, max_attempts: 8, no_progress_count: 7 }))).toBe("STOP NO_PROGRESS: exhaust");
  });
});

describe("11 and 12b: woke before, checkpoint unchanged since, not in_backoff", () => {
  test("BACKOFF UNCHANGED_CHECKPOINT", () => expect(verdictOn(woken([]))).toBe("BACKOFF UNCHANGED_CHECKPOINT: back_off"));
  test("while no_progress_count+1 < max_attempts", () => {
    expect(verdictOn(woken([], { no_progress_count: 6, max_attempts: 8 }))).toBe("BACKOFF UNCHANGED_CHECKPOINT: back_off");
    expect(verdictOn(woken([], { no_progress_count: 7, max_attempts: 8 }))).toBe("STOP NO_PROGRESS: exhaust");
  });
  test("not in_backoff: then the pause is over", () =>
    expect(verdictOn(woken([], { in_backoff: true }))).toBe("WAKE RUNNABLE: wake"));
  test("not once the checkpoint moved", () =>
    expect(verdictOn(woken([], { checkpoint: { step: 1 } }))).toBe("WAKE RUNNABLE: wake"));
  test("1.0 is another checkpoint than 1 in a file, so the harness wrote it", () => {
    expect(verdictOn(woken([], { checkpoint: { step: "0" } }))).toBe("WAKE RUNNABLE: wake");
  });
  test("by last_wake_checkpoint_fp where a file has only that", () =>
    expect(verdictOn(woken([], { last_wake_checkpoint_sha256: null }))).toBe("BACKOFF UNCHANGED_CHECKPOINT: back_off"));
});

test("13: otherwise WAKE RUNNABLE", () => expect(verdictOn({})).toBe("WAKE RUNNABLE: wake"));

test("a clock that goes back mints nothing twice", () => {
  const justWoken = { ...woken([wakeReceipt(0)]), lease: { lease_id: "lease-1", holder: "gh-watchdog", until: atNoon(900) } };
  expect(verdictOn(justWoken, { now: NOON - 86_400 })).toBe("STOP LEASE_HELD");
});
