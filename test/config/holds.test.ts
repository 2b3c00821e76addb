import { describe, expect, test } from "vitest";
import { holdsInForce } from "../../src/config/holds.ts";
import { findHold } from "../../src/job/hold.ts";

const LIFT = { CURSOR_QUOTA_HOLD: { enabled: false } };

async function holdOver(harness: string, local: object, committed: object | undefined): Promise<string | undefined> {
  return findHold(await holdsInForce({ ...local }, async () => committed && { ...committed }), [harness])?.name;
}

describe("holds can be added by either config, and one lifts nothing that the other adds", () => {
  test("a hold that the local file adds stands, although the committed one has it off", async () => {
    const local = { ...LIFT, NIGHT_HOLD: { match: ["claude"] } };
    expect(await holdOver("claude-code", local, { NIGHT_HOLD: { enabled: false } })).toBe("NIGHT_HOLD");
    expect(await holdOver("claude-code", local, { NIGHT_HOLD: { enabled: false, match: ["codex"] } })).toBe("NIGHT_HOLD");
    expect(await holdOver("codex", local, { NIGHT_HOLD: { enabled: false, match: ["codex"] } })).toBeUndefined();
  });

  test("a hold that both add covers the names of both", async () => {
    const local = { ...LIFT, NIGHT_HOLD: { match: ["claude"] } };
    const committed = { NIGHT_HOLD: { match: ["codex"] } };
    expect(await holdOver("claude-code", local, committed)).toBe("NIGHT_HOLD");
    expect(await holdOver("codex", local, committed)).toBe("NIGHT_HOLD");
  });

  test("a hold that both have off is lifted", async () => {
    const off = { NIGHT_HOLD: { enabled: false, match: ["claude"] } };
    expect(await holdOver("claude-code", off, off)).toBeUndefined();
  });

  test("where the committed one cannot be read every hold stands, also one that is off here", async () => {
    const local = { ...LIFT, NIGHT_HOLD: { enabled: false, match: ["claude"] } };
    const holds = await holdsInForce(local, () => Promise.reject(new Error("no git")));
    expect(holds.map(({ name }) => name)).toEqual(["CURSOR_QUOTA_HOLD", "NIGHT_HOLD"]);
  });
});
