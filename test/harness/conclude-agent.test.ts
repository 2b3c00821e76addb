import { describe, expect, test } from "vitest";
import type { AgentReport } from "../../src/harness/agents/agent.ts";
import { concludeAgent } from "../../src/harness/conclude-agent.ts";
import type { RunEnd } from "../../src/harness/enclosure/run-enclosed.ts";
import type { ReadOutcome } from "../../src/harness/outcome.ts";
import type { Json } from "../../src/json/json.ts";

const SESSION = { agent: "codex", id: "01a22ee1-8ff8-73b0-ab04-cc3da559fb58" };
const WELL: RunEnd = { state: "ended", exit_code: 0, signal: null };
const NONE: ReadOutcome = { kind: "none" };
const ATTEMPT = { checkpoint: { step: 1, notes: "kept" }, step: 2 };

function completed(outcome?: Json): AgentReport {
  return { state: "completed", answer: "", session: SESSION, ...(outcome !== undefined && { outcome }) };
}

function conclude(
  report: AgentReport,
  { end = WELL, left = NONE, attempt = ATTEMPT as { checkpoint: object; step: Json } } = {},
) {
  return concludeAgent("codex", { ...attempt, checkpoint: { ...attempt.checkpoint } }, end, report, left);
}

describe("a run that ended well", () => {
  test("and left a checkpoint goes on in its session", () => {
    const outcome = { checkpoint: { step: 7, session: "not this" }, in: "30m" };
    expect(conclude(completed(outcome))).toEqual({
      kind: "outcome",
      outcome: { checkpoint: { step: 7, session: SESSION }, in: "30m" },
    });
  });

  test("and left nothing is a step, which goes on in its session", () => {
    const step = { kind: "nothing_left", checkpoint: { step: 2, notes: "kept", session: SESSION } };
    expect(conclude(completed())).toEqual(step);
    expect(conclude(completed({ checkpoint: null, fail: null }))).toEqual(step);
    expect(conclude(completed(), { attempt: { ...ATTEMPT, step: null } })).toEqual({ kind: "nothing_left" });
    expect(conclude({ state: "completed", answer: "" })).toEqual({ kind: "nothing_left" });
  });

  test("and only says when to go on is a step as well", () => {
    expect(conclude(completed({ in: "2d" }))).toEqual({
      kind: "outcome",
      outcome: { in: "2d", checkpoint: { step: 2, notes: "kept", session: SESSION } },
    });
  });

  test.each<object>([{ result: "done" }, { fail: "no" }, { blocker: { kind: "external_authority", detail: "ask" } }])(
    "and says %j moves no checkpoint by itself",
    (outcome) => expect(conclude(completed(outcome as Json))).toEqual({ kind: "outcome", outcome }),
  );

  test("is judged by the file that it wrote before the answer that it gave", () => {
    const left: ReadOutcome = { kind: "outcome", outcome: { result: "by file" } };
    expect(conclude(completed({ result: "by answer" }), { left })).toEqual({ kind: "outcome", outcome: { result: "by file" } });
  });

  test("and left what is no outcome has failed, with the reason", () => {
    expect(conclude(completed({ checkpont: 1 }))).toEqual({
      kind: "failed",
      detail: "the answer of codex has unknown keys: checkpont",
    });
    const left: ReadOutcome = { kind: "broken", why: "is not JSON" };
    expect(conclude(completed(), { left })).toEqual({ kind: "failed", detail: "the outcome file is not JSON" });
  });
});

describe("a run has failed", () => {
  const failed: AgentReport = { state: "failed", error: { kind: "rate_limit", message: "try later" } };

  test("where its record says so, with the kind and what it means, whatever its exit code and file", () => {
    const left: ReadOutcome = { kind: "outcome", outcome: { result: "done" } };
    expect(conclude(failed, { left })).toEqual({
      kind: "failed",
      detail: expect.stringMatching(/^codex failed \(rate_limit\): the API allows no more requests.* It says: try later$/),
    });
  });

  test("where it was stopped before its end, with the reason first", () => {
    const end: RunEnd = { state: "stopped", why: "the job was cancelled", by: "asked" };
    expect(conclude(failed, { end })).toMatchObject({
      detail: expect.stringMatching(/^stopped: the job was cancelled\. codex failed/),
    });
    expect(conclude(completed({ result: "done" }), { end })).toEqual({ kind: "outcome", outcome: { result: "done" } });
  });

  test("where it never started", () => {
    const end: RunEnd = { state: "not_started", message: "ENOENT" };
    expect(conclude(failed, { end })).toEqual({ kind: "failed", detail: "codex could not be started: ENOENT" });
  });

  test("where it says that all is well and its exit code does not", () => {
    const end: RunEnd = { state: "ended", exit_code: 137, signal: null };
    expect(conclude(completed({ result: "done" }), { end })).toMatchObject({
      kind: "failed",
      detail: expect.stringContaining("137"),
    });
  });
});
