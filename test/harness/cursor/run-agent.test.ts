import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type AgentPorts, type AgentRequest, runAgent } from "../../../src/harness/cursor/run-agent.ts";
import type { HarnessEvent, RunResult } from "../../../src/harness/harness.ts";
import { REMINDER } from "../../../src/harness/tools/run-limits.ts";
import { failure, type Tool, type ToolName, text } from "../../../src/harness/tools/tool.ts";
import { type Act, error, FakeCursorSdk, type FakeScript, FINISHED, usageOf } from "../../support/fake-cursor-sdk.ts";
import { SimulatedTime } from "../../support/simulated-time.ts";

const KEY = "key_planted-0011223344";
const SUBMIT: Act = { do: "call", tools: [["submit", { answer: 42 }]] };
const READ: Act = { do: "call", tools: [["read"]] };

function tool(name: ToolName, call: Tool["call"]): Tool {
  return { name, description: name, inputSchema: { type: "object" }, call };
}

const hangs = (): Promise<never> => new Promise(() => undefined);

/** read answers, write fails, search hangs, edit hangs and rejects when it is ended. */
const tools: readonly Tool[] = [
  tool("read", async () => text("read")),
  tool("write", async () => failure("the disk is full")),
  tool("search", hangs),
  tool("edit", (_input, signal) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("cut"))))),
];

interface Ran {
  readonly result: RunResult;
  readonly sdk: FakeCursorSdk;
  readonly events: readonly HarnessEvent[];
  readonly notes: readonly string[];
  /** When it was over, in milliseconds. */
  readonly endMs: number;
}

interface Given extends Partial<AgentRequest> {
  readonly abortAtMs?: number;
}

async function run(script: FakeScript, { abortAtMs, ...request }: Given = {}): Promise<Ran> {
  const time = new SimulatedTime();
  const sdk = new FakeCursorSdk(time, script);
  const [events, notes]: [HarnessEvent[], string[]] = [[], []];
  const aborting = new AbortController();
  if (abortAtMs !== undefined) void time.pause(abortAtMs, abortAtMs).then(() => aborting.abort());
  const ports: AgentPorts = {
    sdk,
    tools,
    timing: time,
    emit: (event) => events.push(event),
    note: (note) => notes.push(note),
    signal: aborting.signal,
  };
  const running = runAgent(
    {
      model: "composer-2.5",
      apiKey: KEY,
      message: "Do it.",
      directory: "/workspace",
      store: "/scratch/store",
      limits: { turnsMax: 5, timeMsMax: 3_600_000, rejectionsMax: 2 },
      schema: { type: "object", properties: { answer: { type: "number" } }, required: ["answer"] },
      tokensMax: 1_000_000,
      ...request,
    },
    ports,
  );
  let endMs = Number.NaN;
  let result: RunResult | undefined;
  void running.then((ended) => {
    result = ended;
    endMs = time.nowMs;
  });
  await time.runUntil(100_000_000);
  if (result === undefined) throw new Error("the run never ended");
  return { result, sdk, events, notes, endMs };
}

function submitted(turns: number): object {
  return { outcome: "submitted", output: { answer: 42 }, usage: {}, turns, detail: "it submitted" };
}

/** A promise that rejects with nobody waiting would end the runner. */
const stray: unknown[] = [];
const keep = (reason: unknown): void => void stray.push(reason);
beforeEach(() => void process.on("unhandledRejection", keep));
afterEach(async () => {
  await new Promise((resolve) => setImmediate(resolve));
  process.off("unhandledRejection", keep);
  expect(stray.splice(0)).toEqual([]);
});

describe("a run that goes well", () => {
  test("ends as submitted, with what was submitted", async () => {
    const { result, sdk, events } = await run({ runs: [[READ, SUBMIT, FINISHED]] });
    expect(result).toEqual(submitted(2));
    expect(sdk).toMatchObject({ sent: ["Do it."], cancelled: 0, disposed: 1, store: "/scratch/store" });
    expect(events.map(({ event }) => event)).toEqual([
      ...["tool-call", "tool-result", "finish-step", "tool-call", "tool-result", "finish-step", "finish"],
    ]);
  });

  test("makes a local agent that has our tools and no others, and takes no settings", async () => {
    const { sdk } = await run({ runs: [[SUBMIT, FINISHED]] });
    expect(sdk.created).toEqual({
      model: { id: "composer-2.5" },
      apiKey: KEY,
      tools: ["mcp"],
      local: {
        cwd: "/workspace",
        settingSources: [],
        customTools: expect.any(Object),
        store: expect.any(Object),
        enableAgentRetries: true,
      },
    });
    expect(Object.keys(sdk.created?.local.customTools ?? {})).toEqual(["read", "write", "search", "edit", "submit"]);
  });

  test("replaces the system prompt only when it is asked to", async () => {
    const { sdk } = await run({ runs: [[SUBMIT, FINISHED]] }, { systemPrompt: "You are ours." });
    expect(sdk.created).toMatchObject({ systemPrompt: "You are ours." });
    expect((await run({ runs: [[SUBMIT, FINISHED]] })).sdk.created).not.toHaveProperty("systemPrompt");
  });

  test("counts tokens as they are reported, without those read from the cache", async () => {
    const told = await run({
      runs: [
        [
          { do: "usage", usage: usageOf(100, 20, 5_000, 3) },
          { do: "wait", ms: 1 },
          SUBMIT,
          { do: "end", status: "finished", usage: usageOf(200, 50, 9_000, 6) },
        ],
      ],
    });
    expect(told.result.usage).toEqual({ tokens_used: 256 });
    expect(told.events).toContainEqual({ event: "finish-step", turns: 1, tokens_used: 123 });
  });

  test("tells no tokens where none were reported, and never 0 dollars", async () => {
    for (const usage of [{}, { cost: { chargedCents: 0 } }, error("NetworkError", "late"), "hangs"] as const) {
      expect((await run({ runs: [[SUBMIT, FINISHED]], usage })).result).toEqual(submitted(1));
    }
    const { result } = await run({ runs: [[SUBMIT, FINISHED]], usage: { cost: { chargedCents: 12.5 } } });
    expect(result.usage).toEqual({ cost_usd: 0.125 });
  });

  test("may be rejected once and then accepted", async () => {
    const wrong: Act = { do: "call", tools: [["submit", { answer: "many" }]] };
    const { result, sdk } = await run({ runs: [[wrong, SUBMIT, FINISHED]] });
    expect(result).toEqual(submitted(2));
    expect(sdk.results.map(({ isError }) => isError)).toEqual([true, false]);
  });

  test("is reminded once where it ends without submitting", async () => {
    const { result, sdk } = await run({
      runs: [
        [READ, FINISHED],
        [SUBMIT, FINISHED],
      ],
    });
    expect(sdk.sent).toEqual(["Do it.", REMINDER]);
    expect(result).toEqual(submitted(2));
  });

  test("tells a failed call as an error, never as a text", async () => {
    const { sdk } = await run({ runs: [[{ do: "call", tools: [["write"], ["read"]] }, SUBMIT, FINISHED]] });
    expect(sdk.results.slice(0, 2)).toEqual([
      { content: [{ type: "text", text: "the disk is full" }], isError: true },
      { content: [{ type: "text", text: "read" }], isError: false },
    ]);
  });
});

describe("the limits of a run", () => {
  test("count calls that run side by side as one turn", async () => {
    const three: Act = { do: "call", tools: [["read"], ["read"], ["read"]] };
    const { result, events } = await run(
      { runs: [[three, three, SUBMIT, FINISHED]] },
      { limits: { turnsMax: 3, timeMsMax: 9e5, rejectionsMax: 1 } },
    );
    expect(result).toEqual(submitted(3));
    expect(events.filter(({ event }) => event === "finish-step")).toHaveLength(3);
  });

  test("stop it at one turn too many, and start no tool of it", async () => {
    const { result, sdk } = await run({ runs: [[READ, READ, READ, READ, READ, READ, READ]] });
    expect(result).toMatchObject({ outcome: "turns", turns: 5 });
    expect(sdk.results.map(({ isError }) => isError)).toEqual([false, false, false, false, false, true, true]);
    expect(sdk).toMatchObject({ cancelled: 1, disposed: 1 });
  });

  test("stop it when its time is over, whatever hangs", async () => {
    const never = { cancelHangs: true, disposeHangs: true, streamNeverEnds: true, usage: "hangs" } as const;
    const { result, endMs } = await run({ ...never, runs: [[{ do: "wait", ms: 1e9 }]] });
    expect(result).toMatchObject({ outcome: "time" });
    expect(endMs).toBeGreaterThanOrEqual(3_600_000);
    expect(endMs).toBeLessThan(3_610_000);
  });

  test("stop it after the last rejection", async () => {
    const wrong: Act = { do: "call", tools: [["submit", {}]] };
    const { result, sdk } = await run({ runs: [[wrong, wrong, SUBMIT, FINISHED]] });
    expect(result).toMatchObject({ outcome: "rejections", turns: 2 });
    expect(result).not.toHaveProperty("output");
    expect(sdk.cancelled).toBe(1);
  });

  test("stop work that goes on past an accepted submission, which stands", async () => {
    const { result, sdk } = await run({ runs: [[SUBMIT, READ, READ, FINISHED]] });
    expect(result).toMatchObject({
      outcome: "submitted",
      output: { answer: 42 },
      turns: 1,
      detail: expect.stringContaining("went on working"),
    });
    expect(sdk.results.map(({ isError }) => isError)).toEqual([false, true, true]);
  });

  test("end it where it does not submit after the reminder either", async () => {
    const { result, sdk } = await run({ runs: [[FINISHED], [FINISHED], [SUBMIT, FINISHED]] });
    expect(result).toMatchObject({ outcome: "no_submission" });
    expect(sdk.sent).toHaveLength(2);
  });

  test("stop it when the job's tokens are used up, also where only the reminder is left", async () => {
    const streamed = await run(
      {
        runs: [
          [
            { do: "usage", usage: usageOf(900, 200) },
            { do: "wait", ms: 1e9 },
          ],
        ],
      },
      { tokensMax: 1_000 },
    );
    expect(streamed.result).toMatchObject({ outcome: "budget", usage: { tokens_used: 1_100 } });
    expect(streamed.sdk.cancelled).toBe(1);
    const told = await run({ runs: [[{ do: "end", status: "finished", usage: usageOf(1_000) }]] }, { tokensMax: 1_000 });
    expect(told.result).toMatchObject({ outcome: "budget", usage: { tokens_used: 1_000 } });
    expect(told.sdk.sent).toHaveLength(1);
  });

  test("let a call that hangs hold up its turn for a quarter of an hour, and not the run", async () => {
    const { result, sdk } = await run({ runs: [[{ do: "call", tools: [["search"], ["edit"]] }, SUBMIT, FINISHED]] });
    expect(result).toEqual(submitted(2));
    expect(sdk.results[0]).toEqual({ content: [{ type: "text", text: "no answer within 15 minutes" }], isError: true });
    expect(sdk.results[1]).toMatchObject({ isError: true });
  });
});

describe("a run that goes wrong", () => {
  test.each([
    ["AuthenticationError", "auth"],
    ["RateLimitError", "rate_limit"],
    ["NetworkError", "network"],
    ["ConfigurationError", "agent"],
    ["UnknownAgentError", "agent"],
  ])("fails with the kind of a %s of create", async (name, kind) => {
    const { result, sdk, events } = await run({ create: error(name, "said so") });
    expect(result).toMatchObject({
      outcome: "failed",
      turns: 0,
      detail: expect.stringMatching(new RegExp(`^cursor failed \\(${kind}\\).*said so`)),
    });
    expect(events.map(({ event }) => event)).toEqual(["error", "finish"]);
    expect(sdk.disposed).toBe(0);
  });

  test("does not wait for an API that takes the call and never answers", async () => {
    const { result, endMs } = await run({ create: "hangs" });
    expect(result).toMatchObject({ outcome: "failed", detail: expect.stringContaining("no answer within 120 s") });
    expect(endMs).toBe(120_000);
  });

  test("lets go of an agent that comes too late", async () => {
    const { result, sdk } = await run({ create: { afterMs: 500_000 } });
    expect(result).toMatchObject({ outcome: "failed" });
    expect(sdk).toMatchObject({ disposed: 1, sent: [] });
  });

  test("fails with a send that fails", async () => {
    const { result, sdk } = await run({ sendFails: error("UnknownAgentError", "a run is active") });
    expect(result).toMatchObject({ outcome: "failed", detail: expect.stringContaining("a run is active") });
    expect(sdk.disposed).toBe(1);
  });

  test("sends nothing while a run is under way", async () => {
    const { result, sdk } = await run({
      runs: [
        [{ do: "wait", ms: 5_000 }, FINISHED],
        [SUBMIT, FINISHED],
      ],
      streamNeverEnds: true,
    });
    expect(sdk.sent).toHaveLength(2);
    expect(result).toEqual(submitted(1));
  });

  test("fails with the error that its result tells", async () => {
    const message = "Failed to connect to API key exchange endpoint";
    const { result } = await run({ runs: [[{ do: "end", status: "error", error: { message } }]] });
    expect(result).toMatchObject({ outcome: "failed", detail: expect.stringMatching(/\(network\).*key exchange/) });
    expect((await run({ runs: [[{ do: "end", status: "error" }]] })).result).toMatchObject({ outcome: "failed" });
  });

  test("takes no cancelled run for a success, also where it had submitted", async () => {
    const { result } = await run({ runs: [[SUBMIT, { do: "end", status: "cancelled" }]] });
    expect(result).toMatchObject({ outcome: "cancelled", detail: expect.stringContaining("not from here") });
  });

  test("is cancelled when it is told to end, and is over within the grace of a stop", async () => {
    const never = { cancelHangs: true, disposeHangs: true, streamNeverEnds: true } as const;
    for (const script of [
      { create: "hangs" },
      { runs: [[{ do: "wait", ms: 1e9 }]] },
      { ...never, runs: [[{ do: "call", tools: [["search"]] }]] },
    ] as const) {
      const { result, endMs } = await run(script, { abortAtMs: 7_000 });
      expect(result).toMatchObject({ outcome: "cancelled" });
      expect(endMs).toBeLessThan(17_000);
    }
  });

  test("has not begun where it was told to end before", async () => {
    const time = new SimulatedTime();
    const sdk = new FakeCursorSdk(time, {});
    const result = await runAgent(
      {
        model: "m",
        apiKey: KEY,
        message: "",
        directory: "/",
        store: "/",
        limits: { turnsMax: 1, timeMsMax: 1, rejectionsMax: 1 },
        schema: { type: "object" },
        tokensMax: 1,
      },
      { sdk, tools: [], timing: time, emit: () => undefined, note: () => undefined, signal: AbortSignal.abort() },
    );
    expect(result).toMatchObject({ outcome: "cancelled" });
    expect(sdk.created).toBeUndefined();
  });

  test("needs no stream to end: its result is enough", async () => {
    const { result, endMs } = await run({ runs: [[SUBMIT, FINISHED]], streamNeverEnds: true });
    expect(result).toEqual(submitted(1));
    expect(endMs).toBeLessThan(10_000);
  });

  test("fails where the stream ends and no result comes", async () => {
    const { result, notes } = await run({ runs: [[{ do: "break_stream", error: error("NetworkError", "cut off") }]] });
    expect(result).toMatchObject({ outcome: "failed", detail: expect.stringContaining("without a result") });
    expect(notes).toContainEqual(expect.stringContaining("cut off"));
  });

  test("survives an error that is thrown late", async () => {
    const { result, notes } = await run(
      {
        cancelHangs: true,
        runs: [
          [
            { do: "wait", ms: 60_000 },
            { do: "throw", error: error("NetworkError", "stalled") },
          ],
        ],
      },
      { limits: { turnsMax: 5, timeMsMax: 30_000, rejectionsMax: 1 } },
    );
    expect(result).toMatchObject({ outcome: "time" });
    expect(notes).toContainEqual(expect.stringContaining("stalled"));
  });

  test("keeps what was submitted where the API fails afterwards", async () => {
    const { result } = await run({ runs: [[SUBMIT, { do: "throw", error: error("NetworkError", "gone") }]] });
    expect(result).toMatchObject({ outcome: "submitted", output: { answer: 42 }, detail: expect.stringContaining("gone") });
  });

  test("tells of a call that is under way when it ends that it was ended, not that it went well", async () => {
    const { result, sdk, events } = await run({ runs: [[{ do: "call", tools: [["edit"]] }]] }, { abortAtMs: 1_000 });
    expect(result).toMatchObject({ outcome: "cancelled" });
    expect(sdk.results).toMatchObject([{ isError: true }]);
    expect(events).toContainEqual(expect.objectContaining({ event: "tool-result", ok: false }));
  });
});
