import { describe, expect, test } from "vitest";
import { opencode } from "../../../src/harness/agents/opencode.ts";
import { AGENT_RUN, recordOf } from "../../support/agent-run-facts.ts";

const RUN = { ...AGENT_RUN, model: "m1" };

describe("opencode is called unattended", () => {
  test("through a provider of our own, with the prompt on standard input and places of its own", () => {
    const { argv, env, stdin } = opencode.commandLine(RUN);
    expect(argv).toEqual([
      "/usr/bin/agent",
      "run",
      "--format",
      "json",
      "--title",
      "harness-wake",
      "--pure",
      "--auto",
      "--model",
      "harness-wake/m1",
    ]);
    expect(stdin).toBe("-- do it");
    expect(JSON.parse(env["OPENCODE_CONFIG_CONTENT"] ?? "")).toMatchObject({
      provider: {
        "harness-wake": { options: { baseURL: "http://127.0.0.1:4321/v1", apiKey: "{env:HARNESS_WAKE_GATEWAY_TOKEN}" } },
      },
      compaction: { auto: false },
    });
    expect(env).toMatchObject({ HARNESS_WAKE_GATEWAY_TOKEN: "run-token", XDG_DATA_HOME: "/state/homes/fix-it-01/data" });
  });

  test("with its user's own login and model where there is no gateway", () => {
    const home = { directory: "/home/me/.local/share", isOwn: false };
    const { argv, env } = opencode.commandLine({ ...RUN, gateway: undefined, model: "anthropic/x", home });
    expect(argv.slice(-2)).toEqual(["--model", "anthropic/x"]);
    expect(env).not.toHaveProperty("XDG_DATA_HOME");
    expect(env["OPENCODE_CONFIG_CONTENT"]).not.toContain("provider");
  });

  test("and not without a model's name, nor where files are not protected from the checkout's plugins", () => {
    expect(() => opencode.commandLine(AGENT_RUN)).toThrow(/--model/);
    expect(() => opencode.commandLine({ ...RUN, enclosure: { protectsFiles: false, userIdInside: 1 } })).toThrow(
      /plugins.*bubblewrap/,
    );
  });
});

const TEXT = { type: "text", part: { type: "text", text: "all done" } };
const step = (reason: string, cost = 0.5) => {
  const tokens = { total: 1370, input: 1050, output: 20, reasoning: 5, cache: { write: 10, read: 300 } };
  return { type: "step_finish", part: { type: "step-finish", reason, tokens, cost } };
};
const failed = (name: string, data: object) => ({ type: "error", error: { name, data } });

describe("of what opencode says", () => {
  test("a last step that stops proves success; steps are added up", () => {
    expect(recordOf(opencode, [step("tool-calls"), TEXT, step("stop")]).report("")).toEqual({
      state: "completed",
      answer: "all done",
      turns: 2,
      tokens_used: 2170,
      cost_usd: 1,
    });
  });

  test("a cost of nothing is unknown", () => {
    expect(recordOf(opencode, [step("stop", 0)]).report("")).not.toHaveProperty("cost_usd");
  });

  test("an error is no success, whatever steps follow it", () => {
    const lines = [failed("ContextOverflowError", { message: "too long" }), TEXT, step("stop")];
    expect(recordOf(opencode, lines).report("")).toMatchObject({ state: "failed", error: { kind: "context" } });
  });

  test.each([
    ["APIError", { statusCode: 401, message: "no" }, "auth"],
    ["APIError", { statusCode: 429, message: "no" }, "rate_limit"],
    ["APIError", { statusCode: 500, message: "no" }, "server"],
    ["APIError", { message: "connection refused" }, "network"],
    ["ProviderAuthError", { message: "no key" }, "auth"],
    ["UnknownError", { message: "what" }, "agent"],
  ])("a %s with %j is told as %s", (name, data, kind) => {
    expect(recordOf(opencode, [failed(name, data)]).report("")).toMatchObject({ state: "failed", error: { kind } });
  });

  test("an end in the middle is no success", () => {
    expect(recordOf(opencode, [step("tool-calls")]).report("cut")).toMatchObject({
      error: { kind: "no_answer", message: "cut" },
    });
    expect(recordOf(opencode, []).report("")).toMatchObject({ error: { kind: "no_answer" } });
  });
});
