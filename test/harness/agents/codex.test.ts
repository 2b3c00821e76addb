import { describe, expect, test } from "vitest";
import { codex } from "../../../src/harness/agents/codex.ts";
import { AGENT_RUN, recordOf } from "../../support/agent-run-facts.ts";

const ID = "01a22ee1-8ff8-73b0-ab04-cc3da559fb58";
const KEY = { variable: "OPENAI_API_KEY", scheme: "bearer" } as const;
const RUN = { ...AGENT_RUN, gateway: { baseUrl: "http://127.0.0.1:4321", token: "run-token", key: KEY } };

function settings(argv: readonly string[]): string {
  return argv.filter((_, i) => argv[i - 1] === "-c").join("\n");
}

describe("Codex is called unattended", () => {
  test("with the prompt on standard input, through a provider of our own", () => {
    const { argv, env, stdin, files } = codex.commandLine(RUN);
    expect(stdin).toBe("-- do it");
    expect(argv.slice(0, 2)).toEqual(["/usr/bin/agent", "exec"]);
    expect(argv.at(-1)).toBe("-");
    expect(argv).toEqual(expect.arrayContaining(["--json", "--skip-git-repo-check", "--ignore-user-config", "--ignore-rules"]));
    expect(settings(argv)).toContain('model_provider="harness_wake"');
    expect(settings(argv)).toContain('base_url="http://127.0.0.1:4321/v1"');
    expect(settings(argv)).toContain("analytics.enabled=false");
    expect(env).toEqual({ CODEX_HOME: "/state/homes/fix-it-01", HARNESS_WAKE_GATEWAY_TOKEN: "run-token" });
    expect(argv.join(" ")).not.toContain("run-token");
    expect(argv[argv.indexOf("--output-schema") + 1]).toBe(files[0]?.path);
    expect(JSON.parse(files[0]?.text ?? "")).toMatchObject({ required: expect.arrayContaining(["checkpoint"]) });
  });

  test("with its tools kept from the token, and told everything else", () => {
    expect(settings(codex.commandLine(RUN).argv)).toContain(
      'shell_environment_policy={inherit="all",ignore_default_excludes=true,exclude=["HARNESS_WAKE_GATEWAY_TOKEN"]}',
    );
  });

  test("in the thread of the checkpoint, with every flag before the word resume", () => {
    const { argv } = codex.commandLine({ ...RUN, session: { kind: "resume", session: { agent: "codex", id: ID } } });
    expect(argv.slice(-3)).toEqual(["resume", ID, "-"]);
  });

  test("without a sandbox of its own where the enclosure protects files, else with it", () => {
    expect(codex.commandLine(RUN).argv).toContain("--dangerously-bypass-approvals-and-sandbox");
    const { argv } = codex.commandLine({ ...RUN, enclosure: { protectsFiles: false, userIdInside: 0 } });
    expect(argv).not.toContain("--dangerously-bypass-approvals-and-sandbox");
    expect(argv[argv.indexOf("--sandbox") + 1]).toBe("workspace-write");
    expect(argv[argv.indexOf("--add-dir") + 1]).toBe("/repo/.git");
    expect(settings(argv)).toContain("sandbox_workspace_write.network_access=true");
  });

  test("and not at all where its sandbox would fail every command without a word", () => {
    const run = {
      ...RUN,
      enclosure: { protectsFiles: false, userIdInside: 1000 },
      home: { directory: "/tmp/state", isOwn: true },
    };
    expect(() => codex.commandLine(run)).toThrow(/home below \/tmp.*--state-dir/);
  });

  test("with its user's own settings where it is logged in by itself, and its own bound on tokens", () => {
    const home = { directory: "/home/me/.codex", isOwn: false };
    const { argv, env } = codex.commandLine({ ...RUN, gateway: undefined, home });
    expect(env).toEqual({});
    expect(argv).not.toContain("--ignore-user-config");
    expect(settings(argv)).toContain(
      "features.rollout_budget={enabled=true,limit_tokens=50000,reminder_at_remaining_tokens=[5000]}",
    );
    expect(settings(argv)).not.toContain("model_provider");
  });
});

const STARTED = { type: "thread.started", thread_id: ID };
const WORKED = { type: "item.completed", item: { id: "item_0", type: "command_execution", command: "true", exit_code: 0 } };
const SAID = (text: string) => ({ type: "item.completed", item: { id: "item_1", type: "agent_message", text } });
const USAGE = { input_tokens: 2700, cached_input_tokens: 600, cache_write_input_tokens: 100, output_tokens: 40 };
const COMPLETED = { type: "turn.completed", usage: USAGE };
const failed = (message: string) => ({ type: "turn.failed", error: { message } });

describe("of what Codex says", () => {
  test("the record of a completed turn proves success; the last message is the answer", () => {
    const answer = JSON.stringify({ checkpoint: '{"step":2}', in: null });
    expect(
      recordOf(codex, [STARTED, { type: "turn.started" }, WORKED, SAID("first"), SAID(answer), COMPLETED]).report(""),
    ).toEqual({
      state: "completed",
      answer,
      outcome: { checkpoint: '{"step":2}', in: null },
      session: { agent: "codex", id: ID, tokens: 2140 },
      tokens_used: 2140,
      turns: 2,
    });
  });

  test("what the thread had before is taken off, since its counts are the thread's", () => {
    const usedAfter = (tokens: number) => {
      const session = { kind: "resume", session: { agent: "codex", id: ID, tokens } } as const;
      return recordOf(codex, [STARTED, SAID("again"), COMPLETED], { session }).report("");
    };
    expect(usedAfter(1500)).toMatchObject({ tokens_used: 640, session: { tokens: 2140 } });
    // A note of more than the thread ever had takes nothing off that another run used.
    expect(usedAfter(99_999)).toMatchObject({ tokens_used: 0 });
  });

  test("an answer that is no JSON is an answer without an outcome", () => {
    expect(recordOf(codex, [STARTED, SAID("just words"), COMPLETED]).report("")).not.toHaveProperty("outcome");
  });

  test.each([
    ["refused key", "unexpected status 401 Unauthorized: no, url: http://127.0.0.1/v1/responses", "auth"],
    ["limited rate", "exceeded retry limit, last status: 429 Too Many Requests", "rate_limit"],
    ["failing API", "We’re currently experiencing high demand, which may cause temporary errors.", "server"],
    ["full context", "Codex ran out of room in the model's context window. Start a new thread.", "context"],
    ["bad request", '{"type":"error","error":{"type":"invalid_request_error","message":"no such thing"}}', "refused"],
    ["context told by code", '{"error":{"code":"context_length_exceeded","message":"too long"}}', "context"],
    ["used up budget", "budget reached", "budget"],
    ["used up plan", "You've hit your usage limit. Try again later.", "rate_limit"],
    ["empty account", "Quota exceeded. Check your plan and billing details.", "auth"],
    ["dropped connection", "stream disconnected before completion: error sending request", "network"],
    ["fault of its own", "something else", "agent"],
  ])("a %s is told as such", (_what, message, kind) => {
    const lines = [STARTED, { type: "error", message: "Reconnecting... 1/3" }, failed(message)];
    expect(recordOf(codex, lines).report("")).toMatchObject({ state: "failed", error: { kind }, session: { id: ID } });
  });

  test("the API's words are told without the wrapping", () => {
    const lines = [STARTED, failed('{"error":{"type":"billing_error","message":"harness-wake: used up"}}')];
    expect(recordOf(codex, lines).report("")).toMatchObject({ error: { message: "harness-wake: used up" } });
  });

  test("an end without a closing record is no success, and a thread that is gone is told by standard error alone", () => {
    const cutOff = recordOf(codex, [STARTED, WORKED]).report("");
    expect(cutOff).toMatchObject({ state: "failed", error: { kind: "no_answer" }, turns: 1 });
    const stderr = `Error: thread/resume failed: no rollout found for thread id ${ID} (code -32600)`;
    expect(recordOf(codex, []).report(stderr)).toMatchObject({ error: { kind: "session_gone" } });
  });

  test("tokens that it does not tell are unknown", () => {
    expect(recordOf(codex, [STARTED, failed("budget reached")]).report("")).not.toHaveProperty("tokens_used");
  });
});
