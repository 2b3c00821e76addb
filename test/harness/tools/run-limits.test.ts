import { describe, expect, test } from "vitest";
import {
  advance,
  type RunEvent,
  type RunLimits,
  type RunVerdict,
  startOfRun,
  timeLeftMs,
} from "../../../src/harness/tools/run-limits.ts";

const LIMITS: RunLimits = { turnsMax: 3, timeMsMax: 1_000, rejectionsMax: 2 };

const called = (call_id: string): RunEvent => ({ kind: "tool_called", call_id });
const answered = (call_id: string): RunEvent => ({ kind: "tool_answered", call_id });
const ACCEPTED: RunEvent = { kind: "submitted", verdict: "accepted" };
const REJECTED: RunEvent = { kind: "submitted", verdict: "rejected" };
const ENDED: RunEvent = { kind: "model_ended" };
const TIME: RunEvent = { kind: "time_passed" };

const turn = (call_id: string): readonly RunEvent[] => [called(call_id), answered(call_id)];
const submission = (call_id: string, verdict: RunEvent): readonly RunEvent[] => [called(call_id), verdict, answered(call_id)];

/** An event at the start, or at a moment. */
type Step = RunEvent | readonly [atMs: number, event: RunEvent];

/** The run after these events: its last verdict in short, all verdicts, and its turns. */
function run(steps: readonly Step[], limits = LIMITS) {
  let progress = startOfRun(0);
  const verdicts: string[] = [];
  for (const step of steps) {
    const [atMs, event] = "kind" in step ? [0, step] : step;
    const next = advance(limits, progress, event, atMs);
    progress = next.progress;
    verdicts.push(inShort(next.verdict));
  }
  return { last: verdicts.at(-1), verdicts, turns: progress.turns };
}

function inShort(verdict: RunVerdict): string {
  return verdict.kind === "stop" ? verdict.reason : verdict.kind;
}

describe("a run stops", () => {
  test.each<[string, readonly Step[], string]>([
    ["not while it has turns, time and submissions left", [...turn("a"), [999, called("b")]], "go_on"],
    ["not at the last turn that it may take", [...turn("a"), ...turn("b"), ...turn("c")], "go_on"],
    ["when it asks for one turn more", [...turn("a"), ...turn("b"), ...turn("c"), called("d")], "turns"],
    ["when it would need one turn more to submit", [...turn("a"), ...turn("b"), ...turn("c"), ENDED], "turns"],
    ["when its time is over", [called("a"), [1_000, TIME]], "time"],
    ["not a moment before", [called("a"), [999, TIME]], "go_on"],
    ["when it asks for a tool after its time", [[1_000, called("a")]], "time"],
    ["when it ends without submitting after its time", [[1_000, ENDED]], "time"],
    ["after the last rejected submission", [...submission("a", REJECTED), called("b"), REJECTED], "rejections"],
    ["not after one that leaves a try", submission("a", REJECTED), "go_on"],
    ["not when a submission is accepted: it ends by itself", submission("a", ACCEPTED), "go_on"],
    ["and is done when it then ends", [...submission("a", ACCEPTED), ENDED], "done"],
    ["when work goes on past an accepted one", [...submission("a", ACCEPTED), called("b")], "worked_past_submission"],
    ["not for what was asked for beside it", [called("a"), called("b"), ACCEPTED, answered("b"), called("c")], "go_on"],
    ["when it ends without submitting, is reminded, and ends so again", [ENDED, ENDED], "no_submission"],
    ["not when it submits after the reminder", [ENDED, ...submission("a", ACCEPTED), ENDED], "done"],
  ])("%s", (_name, steps, last) => {
    expect(run(steps).last).toBe(last);
  });
});

describe("where several limits are met at once", () => {
  const spent = [...turn("a"), ...turn("b")];

  test.each<[string, readonly Step[], string]>([
    [
      "work past an accepted submission comes before time",
      [...submission("a", ACCEPTED), [2_000, called("b")]],
      "worked_past_submission",
    ],
    ["and before turns", [...spent, ...submission("c", ACCEPTED), called("d")], "worked_past_submission"],
    ["a run that ends with an accepted submission is done, however late", [...submission("a", ACCEPTED), [2_000, ENDED]], "done"],
    ["time comes before rejections", [...submission("a", REJECTED), called("b"), [1_000, REJECTED]], "time"],
    ["time comes before turns", [...spent, ...turn("c"), [1_000, called("d")]], "time"],
    ["time comes before the reminder", [ENDED, [1_000, ENDED]], "time"],
    ["rejections come before turns", [...submission("a", REJECTED), ...turn("b"), called("c"), REJECTED], "rejections"],
    ["turns come before a missing submission", [ENDED, ...spent, ...turn("c"), ENDED], "turns"],
    [
      "an accepted submission counts though an earlier one was rejected",
      [...submission("a", REJECTED), ...submission("b", ACCEPTED), ENDED],
      "done",
    ],
  ])("%s", (_name, steps, last) => {
    expect(run(steps).last).toBe(last);
  });

  test("what is over stays over, for the first reason", () => {
    const steps: Step[] = [[1_000, TIME], ...submission("a", ACCEPTED), ENDED, called("b")];
    expect(new Set(run(steps).verdicts)).toEqual(new Set(["time"]));
  });
});

describe("a turn", () => {
  test("is one batch of tool calls, however many run at the same time", () => {
    const batch = [
      called("a"),
      called("b"),
      called("c"),
      answered("a"),
      called("d"),
      answered("d"),
      answered("b"),
      answered("c"),
    ];
    expect(run(batch).turns).toBe(1);
    expect(run([...batch, ...turn("e")]).turns).toBe(2);
  });

  test("is not over while a call of it hangs", () => {
    expect(run([called("hangs"), ...turn("a"), ...turn("b"), ...turn("c"), ...turn("d")])).toMatchObject({
      turns: 1,
      last: "go_on",
    });
  });

  test("counts calls that share an id apart", () => {
    expect(run([called("a"), called("a"), answered("a"), called("b")]).turns).toBe(1);
  });

  test("is not begun by a call that is refused, nor ended by an answer to none", () => {
    expect(run([called("a"), answered("b"), called("c")]).turns).toBe(1);
    expect(run([...turn("a"), called("b")], { ...LIMITS, turnsMax: 1 })).toMatchObject({ turns: 1, last: "turns" });
  });
});

test("the reminder comes once in a run", () => {
  const { verdicts } = run([ENDED, ...turn("a"), ENDED, ENDED]);
  expect(verdicts.filter((verdict) => verdict === "remind")).toHaveLength(1);
  expect(verdicts[0]).toBe("remind");
});

test("the time that is left is counted from the start of the run, and never falls below nothing", () => {
  const progress = startOfRun(5_000);
  expect([5_000, 5_400, 6_000, 9_000].map((atMs) => timeLeftMs(LIMITS, progress, atMs))).toEqual([1_000, 600, 0, 0]);
});
