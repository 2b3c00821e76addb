import { describe, expect, test } from "vitest";
import { CURSOR_QUOTA_HOLD, findHold, foldName, type HoldRule } from "../../src/job/hold.ts";
import { isHoldNoted } from "../../src/job/hold-receipt.ts";
import { latestOffer } from "../../src/job/offer.ts";
import { roadsUnder } from "../../src/job/road.ts";
import { jobOf, TRAIN } from "../support/job-builder.ts";
import { atNoon } from "../support/noon.ts";
import { wakeReceipt } from "../support/woken-job.ts";

const X_HOLD: HoldRule = { name: "X_HOLD", match: ["Acme-Bot", "cursor"], note: "" };

describe("the built-in hold covers", () => {
  test.each([
    "cursor",
    "Cursor",
    "CURSOR-AGENT",
    "my.cursor_cli/2",
    "c u r s o r",
    "c-u-r-s-o-r",
    "cur\u200bsor",
    "cur\u00adsor",
    "ｃｕｒｓｏｒ",
    "ⒸⓊⓇⓈⓄⓇ",
    "𝓬𝓾𝓻𝓼𝓸𝓻",
    "ᶜᵘʳˢᵒʳ",
    "curſor",
    "grokbot",
    "Grok Bot",
    "GROK_BOT-3",
    "issue-1316",
    "Issue #1316",
    "issue１３１６",
  ])("%s", (name) => {
    expect(findHold([CURSOR_QUOTA_HOLD], [name])).toBe(CURSOR_QUOTA_HOLD);
  });

  test("a name among others", () => {
    expect(findHold([CURSOR_QUOTA_HOLD], ["claude-code", "gh-watchdog", "Cursor"])).toBe(CURSOR_QUOTA_HOLD);
  });
});

test.each(["claude-code", "codex", "curator", "curs-less", "grok", "issue-131", "1316", "recurse", "", "—"])(
  "%j is covered by no hold",
  (name) => {
    expect(findHold([CURSOR_QUOTA_HOLD], [name])).toBeUndefined();
  },
);

test("parts of two names do not make one", () => {
  expect(findHold([CURSOR_QUOTA_HOLD], ["cur", "sor"])).toBeUndefined();
});

test("an owner's own hold is folded as names are", () => {
  expect(foldName("Acme-Bot 2")).toBe("acmebot2");
  expect(findHold([X_HOLD], ["the_ACME_bot"])).toBe(X_HOLD);
});

test("the first hold in the list that covers a name counts, so that the built-in one matches first", () => {
  expect(findHold([CURSOR_QUOTA_HOLD, X_HOLD], ["acme-bot", "cursor"])).toBe(CURSOR_QUOTA_HOLD);
  expect(findHold([CURSOR_QUOTA_HOLD, X_HOLD], ["acme-bot"])).toBe(X_HOLD);
});

describe("a held job gets one local receipt", () => {
  const noted = { attempt_id: `${TRAIN}-hold`, event: "cursor_quota_hold", carrier: "CURSOR_QUOTA_HOLD", ts: atNoon() };

  test("unless one stands on a job that never woke", () => {
    const job = jobOf({ event_receipts: [noted] });
    expect(isHoldNoted(job, latestOffer(job), CURSOR_QUOTA_HOLD)).toBe(true);
    expect(isHoldNoted(jobOf(), undefined, CURSOR_QUOTA_HOLD)).toBe(false);
  });

  test("unless one stands after its latest wake", () => {
    const before = jobOf({ event_receipts: [noted, wakeReceipt(0)] });
    const after = jobOf({ event_receipts: [wakeReceipt(0), noted] });
    expect(isHoldNoted(before, latestOffer(before), CURSOR_QUOTA_HOLD)).toBe(false);
    expect(isHoldNoted(after, latestOffer(after), CURSOR_QUOTA_HOLD)).toBe(true);
  });

  test("and another hold's receipt is not that one", () => {
    const job = jobOf({ event_receipts: [noted] });
    expect(isHoldNoted(job, undefined, X_HOLD)).toBe(false);
  });
});

describe("the roads", () => {
  test("to Cursor carriers are shut while the hold is in force, and none of them is Claude's", () => {
    const roads = roadsUnder([CURSOR_QUOTA_HOLD]);
    expect(roads.map(({ road }) => road)).toEqual([
      "Slack app spawn",
      "this-run timer follow-up",
      "issue 1316 desktop doorbell",
      "ntfy mail",
      "resume of another run",
    ]);
    expect(roads.every(({ enabled }) => !enabled)).toBe(true);
  });

  test("open when it is lifted, but for resume of another run, which is UNMEASURED", () => {
    const roads = roadsUnder([X_HOLD]);
    expect(roads.filter(({ enabled }) => !enabled)).toEqual([
      { road: "resume of another run", measured: false, enabled: false, state: "UNMEASURED" },
    ]);
  });
});
