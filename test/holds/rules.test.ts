import { describe, expect, test } from "vitest";
import { rulesOfCommitted, rulesOfFiles, rulesOfUnreadable } from "../../src/holds/rules.ts";
import { findHold } from "../../src/job/hold.ts";

const LIFT = { CURSOR_QUOTA_HOLD: { enabled: false } };

function holdOver(harness: string, local: object, ...committed: readonly object[]): string | undefined {
  return findHold(
    rulesOfFiles(
      { ...local },
      committed.map((holds) => ({ ...holds })),
    ),
    [harness],
  )?.name;
}

describe("under the file store either config can add holds, and one lifts nothing that another adds", () => {
  test("a hold that the local file adds stands, although the committed one has it off", () => {
    const local = { ...LIFT, NIGHT_HOLD: { match: ["claude"] } };
    expect(holdOver("claude-code", local, { NIGHT_HOLD: { enabled: false } })).toBe("NIGHT_HOLD");
    expect(holdOver("claude-code", local, { NIGHT_HOLD: { enabled: false, match: ["codex"] } })).toBe("NIGHT_HOLD");
    expect(holdOver("codex", local, { NIGHT_HOLD: { enabled: false, match: ["codex"] } })).toBeUndefined();
  });

  test("a hold that both add covers the names of both", () => {
    const local = { ...LIFT, NIGHT_HOLD: { match: ["claude"] } };
    const committed = { NIGHT_HOLD: { match: ["codex"] } };
    expect(holdOver("claude-code", local, committed)).toBe("NIGHT_HOLD");
    expect(holdOver("codex", local, committed)).toBe("NIGHT_HOLD");
  });

  test("a hold that both have off is lifted, and one that any has on is not", () => {
    const off = { NIGHT_HOLD: { enabled: false, match: ["claude"] } };
    expect(holdOver("claude-code", off, off)).toBeUndefined();
    expect(holdOver("cursor", LIFT, LIFT)).toBeUndefined();
    expect(holdOver("cursor", LIFT, LIFT, {})).toBe("CURSOR_QUOTA_HOLD");
    expect(holdOver("cursor", LIFT)).toBe("CURSOR_QUOTA_HOLD");
  });

  test("where the committed one cannot be read every hold stands, also one that is off here", () => {
    const local = { ...LIFT, NIGHT_HOLD: { enabled: false, match: ["claude"] } };
    expect(rulesOfFiles(local, undefined).map(({ name }) => name)).toEqual(["CURSOR_QUOTA_HOLD", "NIGHT_HOLD"]);
  });
});

test("under the git store a lift counts only once it is confirmed", () => {
  expect(rulesOfCommitted(LIFT, false).map(({ name }) => name)).toEqual(["CURSOR_QUOTA_HOLD"]);
  expect(rulesOfCommitted(LIFT, true)).toEqual([]);
});

test("a committed config that cannot be read holds every harness, since it may add any hold; the built-in one matches first", () => {
  const rules = rulesOfUnreadable("it is not JSON");
  expect(["script", "名前", ""].map((name) => findHold(rules, [name])?.name)).toEqual(Array(3).fill("UNREADABLE_CONFIG_HOLD"));
  expect(findHold(rules, ["cursor"])?.name).toBe("CURSOR_QUOTA_HOLD");
});
