import { describe, expect, test } from "vitest";
import type { RunLimits } from "../../../src/harness/tools/run-limits.ts";
import { type Tool, type ToolResult, text } from "../../../src/harness/tools/tool.ts";
import { ToolRun } from "../../../src/harness/tools/tool-run.ts";
import { callTool } from "../../support/call-tool.ts";
import { jobErrorOf } from "../../support/job-error-of.ts";

const SCHEMA = { type: "object", properties: { answer: { type: "string" } }, required: ["answer"] };

/** A run whose time and only tool are in the test's hand. */
function opened(limits: Partial<RunLimits> = {}) {
  let nowMs = 0;
  let timeIsOver = (): void => undefined;
  const waiting: { signal: AbortSignal; answer: (result: ToolResult) => void }[] = [];
  const read: Tool = {
    name: "read",
    description: "Waits.",
    inputSchema: {},
    call: (_input, signal) => new Promise((answer) => void waiting.push({ signal, answer })),
  };
  const run = new ToolRun({
    tools: [read],
    schema: SCHEMA,
    limits: { turnsMax: 2, timeMsMax: 1_000, rejectionsMax: 2, ...limits },
    clock: { monotonic: () => nowMs },
    later: (ms, act) => {
      timeIsOver = () => {
        nowMs += ms;
        act();
      };
      return () => undefined;
    },
  });
  return {
    run,
    waiting,
    passTime: () => timeIsOver(),
    read: () => callTool(run.tools, "read", {}),
    submit: (input: unknown) => callTool(run.tools, "submit", input),
    /** One turn: a call that is answered at once. */
    async turn() {
      const result = callTool(run.tools, "read", {});
      waiting.at(-1)?.answer(text("said"));
      return result;
    },
  };
}

describe("the tools of a run", () => {
  test("are its own and submit, under its limits", async () => {
    const { run, turn } = opened();
    expect(run.tools.map(({ name }) => name)).toEqual(["read", "submit"]);
    expect(await turn()).toEqual({ kind: "text", text: "said" });
    await turn();
    expect(await turn()).toEqual({ kind: "error", message: "The run is over: no tool is called any more." });
    expect(await run.over).toEqual({ kind: "stop", reason: "turns" });
    expect(run.turns).toBe(2);
  });

  test("that are called at the same time are one turn", async () => {
    const { run, waiting, read } = opened({ turnsMax: 1 });
    const calls = [read(), read(), read()];
    for (const { answer } of waiting) answer(text("said"));
    expect(await Promise.all(calls)).toHaveLength(3);
    expect(run.turns).toBe(1);
  });

  test("that hang are ended when the time is over", async () => {
    const { run, waiting, read, passTime } = opened();
    void read();
    passTime();
    expect(await run.over).toEqual({ kind: "stop", reason: "time" });
    expect(waiting[0]?.signal.aborted).toBe(true);
  });

  test("are ended when the adapter closes the run", () => {
    const { run, waiting, read } = opened();
    void read();
    run.close();
    expect(waiting[0]?.signal.aborted).toBe(true);
  });
});

test("an accepted submission is the output, and the run is done when the model ends", async () => {
  const { run, submit } = opened();
  expect(await submit({ answer: "42" })).toMatchObject({ kind: "text" });
  expect(run.modelEnded()).toEqual({ kind: "done" });
  expect(await run.over).toEqual({ kind: "done" });
  expect(run.output).toEqual({ answer: "42" });
});

test("work past an accepted submission is not begun, and the submission stands", async () => {
  const { run, submit, read, waiting } = opened();
  await submit({ answer: "42" });
  expect(await read()).toMatchObject({ kind: "error" });
  expect(waiting).toEqual([]);
  expect(await run.over).toEqual({ kind: "stop", reason: "worked_past_submission" });
  expect(run.output).toEqual({ answer: "42" });
});

test("the last rejected submission ends the run, and is told what was wrong with it", async () => {
  const { run, submit } = opened({ turnsMax: 9 });
  expect(await submit({})).toMatchObject({ message: expect.stringContaining("tries left: 1") });
  expect(await submit({ answer: 42 })).toMatchObject({ message: expect.stringContaining("/answer must be string") });
  expect(await run.over).toEqual({ kind: "stop", reason: "rejections" });
  expect(run.output).toBeUndefined();
});

test("a model that ends without submitting is reminded once", async () => {
  const { run } = opened();
  expect(run.modelEnded()).toEqual({ kind: "remind" });
  expect(run.modelEnded()).toEqual({ kind: "stop", reason: "no_submission" });
});

test("a schema that cannot be used is refused before the run begins", () => {
  const make = () =>
    new ToolRun({
      tools: [],
      schema: { type: "array" },
      limits: { turnsMax: 1, timeMsMax: 1, rejectionsMax: 1 },
      clock: { monotonic: () => 0 },
    });
  expect(jobErrorOf(make).code).toBe("SCHEMA");
});

test("a timer that goes off a moment early does not keep the time from being over", async () => {
  let nowMs = 0;
  const timers: { readonly ms: number; readonly act: () => void }[] = [];
  const run = new ToolRun({
    tools: [],
    schema: { type: "object" },
    limits: { turnsMax: 1, timeMsMax: 1_000, rejectionsMax: 1 },
    clock: { monotonic: () => nowMs },
    later: (ms, act) => {
      timers.push({ ms, act });
      return () => undefined;
    },
  });
  nowMs = 999.6;
  timers[0]?.act();
  nowMs = 1_000.6;
  timers[1]?.act();
  expect(timers.map(({ ms }) => ms)).toEqual([1_000, 1]);
  expect(await run.over).toEqual({ kind: "stop", reason: "time" });
});
