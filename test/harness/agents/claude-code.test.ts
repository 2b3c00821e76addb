import { describe, expect, test } from "vitest";
import { claudeCode } from "../../../src/harness/agents/claude-code.ts";
import { AGENT_RUN, recordOf } from "../../support/agent-run-facts.ts";

const ID = "11111111-1111-4111-8111-111111111111";

/** The argument after a flag; undefined where the flag is not there. */
function flag(argv: readonly string[], name: string): string | undefined {
  const at = argv.indexOf(name);
  return at === -1 ? undefined : argv[at + 1];
}

describe("Claude Code is called unattended", () => {
  test("with the prompt on standard input, and shut off from what the checkout says", () => {
    const { argv, env, stdin, files } = claudeCode.commandLine(AGENT_RUN);
    expect(stdin).toBe("-- do it");
    expect(files).toEqual([]);
    expect(argv.slice(0, 2)).toEqual(["/usr/bin/agent", "-p"]);
    expect(argv).toEqual(expect.arrayContaining(["--strict-mcp-config", "--dangerously-skip-permissions", "--verbose"]));
    expect(flag(argv, "--setting-sources")).toBe("");
    expect(flag(argv, "--output-format")).toBe("stream-json");
    expect(JSON.parse(flag(argv, "--json-schema") ?? "")).toMatchObject({ type: "object", additionalProperties: false });
    expect(env).toMatchObject({
      CLAUDE_CONFIG_DIR: "/state/homes/fix-it-01",
      ANTHROPIC_BASE_URL: "http://127.0.0.1:4321",
      ANTHROPIC_API_KEY: "run-token",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1",
      CLAUDE_CODE_MAX_RETRIES: "3",
    });
  });

  test("in a fresh session under an id of ours, or in the one of the checkpoint", () => {
    expect(flag(claudeCode.commandLine(AGENT_RUN).argv, "--session-id")).toBe(ID);
    const resumed = claudeCode.commandLine({
      ...AGENT_RUN,
      session: { kind: "resume", session: { agent: "claude-code", id: ID } },
    });
    expect(flag(resumed.argv, "--resume")).toBe(ID);
    expect(resumed.argv).not.toContain("--session-id");
  });

  test("with the bounds and the model that are given, and none else", () => {
    const bounds = ["--max-turns", "--max-budget-usd", "--model"];
    const { argv: free } = claudeCode.commandLine(AGENT_RUN);
    expect(bounds.map((name) => flag(free, name))).toEqual([undefined, undefined, undefined]);
    const { argv } = claudeCode.commandLine({ ...AGENT_RUN, maxTurns: 20, budgetUsd: 1.5, model: "opus" });
    expect(bounds.map((name) => flag(argv, name))).toEqual(["20", "1.5", "opus"]);
  });

  test("with its user's own settings where it is logged in by itself", () => {
    const home = { directory: "/home/me/.claude", isOwn: false };
    const { argv, env } = claudeCode.commandLine({ ...AGENT_RUN, gateway: undefined, home });
    expect(flag(argv, "--setting-sources")).toBe("user");
    expect(Object.keys(env).filter((name) => /^ANTHROPIC|CONFIG_DIR/.test(name))).toEqual([]);
  });

  test("under the kind of key that the worker holds", () => {
    const key = { variable: "CLAUDE_CODE_OAUTH_TOKEN", scheme: "bearer" } as const;
    const gateway = { baseUrl: "http://127.0.0.1:1", token: "run-token", key };
    const { env } = claudeCode.commandLine({ ...AGENT_RUN, gateway });
    expect(env).toMatchObject({ CLAUDE_CODE_OAUTH_TOKEN: "run-token" });
    expect(env).not.toHaveProperty("ANTHROPIC_API_KEY");
  });

  test("and not at all as root, which it refuses with reason", () => {
    const enclosure = { protectsFiles: false, userIdInside: 0 };
    expect(() => claudeCode.commandLine({ ...AGENT_RUN, enclosure })).toThrow(/as root: install bubblewrap/);
  });
});

const INIT = { type: "system", subtype: "init", session_id: ID, tools: [], model: "m" };
const SAID = (id: string, output = 1) => {
  const usage = { input_tokens: 100, output_tokens: output, cache_creation_input_tokens: 5, cache_read_input_tokens: 70 };
  return { type: "assistant", session_id: ID, message: { id, content: [], usage } };
};
const RESULT = {
  type: "result",
  subtype: "success",
  is_error: false,
  num_turns: 2,
  session_id: ID,
  result: "all is done",
  total_cost_usd: 4.5,
  usage: { input_tokens: 200, output_tokens: 40, cache_creation_input_tokens: 10, cache_read_input_tokens: 140 },
  modelUsage: { m: { inputTokens: 9000, outputTokens: 900, cacheCreationInputTokens: 90, costUSD: 4.5 } },
  model_usage_since_last_result: {
    m: { inputTokens: 200, outputTokens: 40, cacheReadInputTokens: 140, cacheCreationInputTokens: 10, costUSD: 0.25 },
    helper: { inputTokens: 30, outputTokens: 3, cacheReadInputTokens: 0, cacheCreationInputTokens: 0, costUSD: 0.125 },
  },
  terminal_reason: "completed",
  api_error_status: null,
};
const FAILED = { ...RESULT, is_error: true, terminal_reason: "api_error", model_usage_since_last_result: {} };

describe("of what Claude Code says", () => {
  test("its closing record proves success, with what this run used and not its whole session", () => {
    const structured_output = { checkpoint: { step: 2 } };
    expect(recordOf(claudeCode, [INIT, SAID("a"), SAID("b"), { ...RESULT, structured_output }]).report("")).toEqual({
      state: "completed",
      answer: "all is done",
      outcome: structured_output,
      session: { agent: "claude-code", id: ID },
      turns: 2,
      tokens_used: 283,
      cost_usd: 0.375,
    });
  });

  test("numbers of the outcome keep their text", () => {
    const structured_output = { checkpoint: { id: JSON.rawJSON("12345678901234567890"), share: JSON.rawJSON("1.0") } };
    const report = recordOf(claudeCode, [INIT, { ...RESULT, structured_output }]).report("");
    expect(JSON.stringify(report)).toContain('"outcome":{"checkpoint":{"id":12345678901234567890,"share":1.0}}');
  });

  test("the cost of a run is unknown, and not the session's, where it is not told apart", () => {
    const { model_usage_since_last_result: _, ...older } = RESULT;
    const report = recordOf(claudeCode, [INIT, older]).report("");
    expect(report).not.toHaveProperty("cost_usd");
    expect(report).toMatchObject({ tokens_used: 250 });
  });

  test("what is used is known while it works; a message in parts counts once", () => {
    expect(recordOf(claudeCode, [INIT, SAID("a"), SAID("a"), SAID("b", 9)]).use()).toEqual({ turns: 2, tokens_used: 220 });
    expect(recordOf(claudeCode, [INIT]).use()).toEqual({});
  });

  test.each<[string, object, string]>([
    ["refused key", { api_error_status: 401, api_error_type: "authentication_error", result: "Failed to authenticate." }, "auth"],
    ["empty account", { api_error_status: 402, api_error_type: "billing_error", result: "no money" }, "auth"],
    ["limited rate", { api_error_status: 429, api_error_type: "rate_limit_error", result: "Request rejected" }, "rate_limit"],
    ["failing API", { api_error_status: 529, api_error_type: "overloaded_error", result: "API Error: 529" }, "server"],
    ["dropped connection", { api_error: "connection_failed", result: "Connection dropped (ECONNRESET)." }, "network"],
    ["prompt that is too long", { terminal_reason: "prompt_too_long", api_error_status: 400, result: "too long" }, "context"],
    ["request that is too large", { terminal_reason: "image_error", api_error_status: 413, result: "too large" }, "context"],
    ["refusal", { result: "API Error: the model's safeguards flagged this message" }, "refused"],
    ["bad request", { api_error_status: 400, api_error_type: "invalid_request_error", result: "no such thing" }, "refused"],
    ["missing login", { result: "Not logged in · Please run /login" }, "auth"],
    ["turns used up", { subtype: "error_max_turns", terminal_reason: "max_turns", errors: ["Reached 2"] }, "max_turns"],
    ["dollars used up", { subtype: "error_max_budget_usd", errors: ["Reached maximum budget ($1)"] }, "budget"],
    ["session that is gone", { subtype: "error_during_execution", result: `No conversation found: ${ID}` }, "session_gone"],
    ["interrupt", { subtype: "error_during_execution", result: "", errors: [] }, "agent"],
  ])("a %s is told as such", (_what, change, kind) => {
    const report = recordOf(claudeCode, [INIT, { ...FAILED, ...change }]).report("");
    expect(report).toMatchObject({ state: "failed", error: { kind } });
  });

  test("an end without a closing record is no success, whatever its exit code was", () => {
    const report = recordOf(claudeCode, [INIT, SAID("a")]).report("Terminated");
    expect(report).toMatchObject({ state: "failed", error: { kind: "no_answer", message: "Terminated" }, turns: 1 });
    const inUse = recordOf(claudeCode, []).report(`Error: Session ID ${ID} is already in use.`);
    expect(inUse).toMatchObject({ error: { kind: "session_gone" } });
  });

  test("of two closing records the last one counts, and an id that is none is not kept", () => {
    const forged = { ...RESULT, session_id: "--resume", result: "forged" };
    const report = recordOf(claudeCode, [INIT, forged, FAILED]).report("");
    expect(report).toMatchObject({ state: "failed", session: { id: ID } });
    expect(recordOf(claudeCode, [{ ...RESULT, session_id: "/etc/passwd" }]).report("")).not.toHaveProperty("session");
  });

  test("a record whose fields are of other kinds breaks nothing", () => {
    const strange = { ...RESULT, usage: [], num_turns: "many", model_usage_since_last_result: [7], result: {} };
    const lines = [{ type: 7 }, { type: "assistant", message: "x" }, strange];
    expect(recordOf(claudeCode, lines).report("")).toMatchObject({ state: "completed", answer: "" });
  });
});
