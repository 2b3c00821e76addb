import { describe, expect, test } from "vitest";
import { claudeCode } from "../../../src/harness/agents/claude-code.ts";
import { codex } from "../../../src/harness/agents/codex.ts";
import { sessionIn, withSession } from "../../../src/harness/agents/session.ts";
import type { JsonObject } from "../../../src/json/json.ts";

const ID = "01a22ee1-8ff8-73b0-ab04-cc3da559fb58";

describe("the session of a checkpoint", () => {
  test("is taken where it is this agent's", () => {
    const checkpoint = { step: 1, session: { agent: "codex", id: ID, tokens: 10 } };
    expect(sessionIn(checkpoint, codex)).toEqual({ agent: "codex", id: ID, tokens: 10 });
    expect(sessionIn(checkpoint, claudeCode)).toBeUndefined();
  });

  test.each<[string, JsonObject]>([
    ["none", {}],
    ["one that is no object", { session: ID }],
    ["an id that is a flag", { session: { agent: "codex", id: "--dangerously-bypass-hook-trust" } }],
    ["an id that is a path", { session: { agent: "codex", id: `/tmp/${ID}.jsonl` } }],
    ["an id with more after it", { session: { agent: "codex", id: `${ID}\n--x` } }],
  ])("is not made of %s", (_what, checkpoint) => expect(sessionIn(checkpoint, codex)).toBeUndefined());

  test("has no count where the checkpoint holds none that could be one", () => {
    expect(sessionIn({ session: { agent: "codex", id: ID, tokens: -1 } }, codex)).toEqual({ agent: "codex", id: ID });
  });

  test("is put over whatever the run itself wrote there", () => {
    const session = { agent: "codex", id: ID };
    expect(withSession({ step: 2, session: "mine" }, session)).toEqual({ step: 2, session });
    expect(withSession({ step: 2 }, undefined)).toEqual({ step: 2 });
  });
});
