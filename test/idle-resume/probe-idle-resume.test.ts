import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { type ProbeAnswer, probeIdleResume, type ResumeRoad } from "../../src/idle-resume/probe-idle-resume.ts";
import { CURSOR_QUOTA_HOLD } from "../../src/job/hold.ts";
import { fleetUnder } from "../support/fleet-under.ts";
import { fuzzRuns } from "../support/fuzz-runs.ts";

const OTHER = "bc-0123abcd";
const THIS = "bc-4567ef01";

/** What every answer says, whatever happened. */
function expectClosed(answer: ProbeAnswer): void {
  expect(answer).toMatchObject({ action: "STOP", invoke_model: false });
  expect(Object.keys(answer)).toEqual(
    expect.arrayContaining(["ok", "state", "measured", "live_resume", "reason", "resume_roads"]),
  );
}

describe("BAD_ID: not bc- and 8 or more hex digits or dashes", () => {
  test.each(["", "bc-", "bc-0123abc", "bc-0123abcg", "0123abcd", "xbc-0123abcd", "bc-0123abcd\n", "bc-0123abcd ", "bc_0123abcd"])(
    "%j",
    async (id) => {
      const resume = vi.fn();
      const answer = await probeIdleResume(id, { thisBc: THIS, resume, fleet: fleetUnder() });
      expectClosed(answer);
      expect(answer).toMatchObject({ ok: false, state: "BAD_ID", measured: false, live_resume: false });
      expect(resume).not.toHaveBeenCalled();
    },
  );

  test.each([undefined, null, 7, {}, ["bc-0123abcd"]])("%j, which is no text", async (id) => {
    const answer = await probeIdleResume(id as unknown as string, { thisBc: THIS });
    expect(answer).toMatchObject({ state: "BAD_ID", action: "STOP", invoke_model: false });
  });

  test.each(["bc-01234567", "bc-0123-4567-89ab", "bc---------", "bc-ABCDEF01"])("%s is one", async (id) => {
    expect(await probeIdleResume(id, { thisBc: THIS })).toMatchObject({ state: "UNMEASURED" });
  });
});

test("NOT_OTHER_RUN: it is this run, and the road is not called", async () => {
  const resume = vi.fn();
  for (const [id, thisBc] of [
    [THIS, THIS],
    ["bc-ABCDEF01", "bc-abcdef01"],
  ] as const) {
    const answer = await probeIdleResume(id, { thisBc, resume, fleet: fleetUnder() });
    expectClosed(answer);
    expect(answer).toMatchObject({ ok: false, state: "NOT_OTHER_RUN", measured: false, live_resume: false });
  }
  expect(resume).not.toHaveBeenCalled();
});

test("UNMEASURED: no road, the default", async () => {
  for (const fleet of [undefined, fleetUnder(), fleetUnder(CURSOR_QUOTA_HOLD)]) {
    const answer = await probeIdleResume(OTHER, { thisBc: THIS, ...(fleet && { fleet }) });
    expectClosed(answer);
    expect(answer).toMatchObject({ state: "UNMEASURED", measured: false, live_resume: false });
  }
});

test("the hold's state also where it is an owner's own hold on Cursor, and the built-in one is lifted", async () => {
  const resume = vi.fn();
  const fleet = fleetUnder({ name: "NIGHT_HOLD", match: ["Cursor"], note: "not at night" });
  const answer = await probeIdleResume(OTHER, { thisBc: THIS, resume, fleet });
  expectClosed(answer);
  expect(answer).toMatchObject({ ok: true, state: "NIGHT_HOLD", measured: false, reason: "not at night" });
  expect(resume).not.toHaveBeenCalled();
});

test("the hold's state: a road exists, the hold is on, and the road is not called", async () => {
  const resume = vi.fn();
  for (const fleet of [undefined, fleetUnder(CURSOR_QUOTA_HOLD)]) {
    const answer = await probeIdleResume(OTHER, { thisBc: THIS, resume, ...(fleet && { fleet }) });
    expectClosed(answer);
    expect(answer).toMatchObject({ ok: true, state: "CURSOR_QUOTA_HOLD", measured: false, live_resume: false });
  }
  expect(resume).not.toHaveBeenCalled();
});

describe("ERROR: the road threw", () => {
  test.each<[string, ResumeRoad]>([
    ["an Error", throwing(new Error("token-planted-here"))],
    ["a text", throwing("token-planted-here")],
    ["nothing", throwing(undefined)],
    ["an error whose name throws", throwing(Object.defineProperty(new Error("x"), "name", { get: throwing(new Error("y")) }))],
    ["an error whose name is a symbol", throwing(Object.assign(new Error("x"), { name: Symbol("s") }))],
    ["a proxy that throws", throwing(trap())],
    ["a promise that is broken", async () => Promise.reject(new TypeError("token-planted-here"))],
    ["an answer that throws when it is read", () => Object.defineProperty({}, "state", { enumerable: true, get: throwing(1) })],
    ["an answer that is a proxy", () => trap()],
  ])("%s", async (_what, resume) => {
    const answer = await probeIdleResume(OTHER, { thisBc: THIS, resume, fleet: fleetUnder() });
    expectClosed(answer);
    expect(answer).toMatchObject({ ok: false, state: "ERROR", live_resume: false });
    expect(JSON.stringify(answer)).not.toContain("token-planted-here");
  });

  test.each([undefined, null, true, "resumed", 200])("an answer that is %j and no record", async (value) => {
    const answer = await probeIdleResume(OTHER, { thisBc: THIS, resume: () => value, fleet: fleetUnder() });
    expect(answer).toMatchObject({ ok: false, state: "ERROR", action: "STOP", invoke_model: false });
  });
});

describe("else the road's answer, with measured: true", () => {
  test("its state, reason and live_resume are the road's", async () => {
    const resume = vi.fn(async () => ({ ok: true, state: "RESUMED", live_resume: true, reason: "it answered", run: 7 }));
    const answer = await probeIdleResume(OTHER, { thisBc: THIS, resume, fleet: fleetUnder() });
    expect(answer).toMatchObject({
      ok: true,
      state: "RESUMED",
      live_resume: true,
      reason: "it answered",
      run: 7,
      measured: true,
      action: "STOP",
      invoke_model: false,
    });
    expect(resume.mock.calls).toEqual([[OTHER]]);
  });

  test("action, invoke_model and measured are not the road's to say", async () => {
    const resume = () => ({ action: "GO", invoke_model: true, measured: false, state: "CLAIMED" });
    const answer = await probeIdleResume(OTHER, { thisBc: THIS, resume, fleet: fleetUnder() });
    expect(answer).toMatchObject({ action: "STOP", invoke_model: false, measured: true, state: "CLAIMED" });
  });
});

test("it fails closed in every branch: whatever is asked, answered or thrown, STOP and never a model", async () => {
  const anything = fc.anything({
    withBigInt: true,
    withDate: true,
    withMap: true,
    withNullPrototype: true,
    withSparseArray: true,
  });
  const answered = fc.oneof(
    anything,
    fc.record({ action: anything, invoke_model: fc.constantFrom<unknown>(true, 1, "true"), measured: anything, ok: anything }),
  );
  const road = fc.tuple(fc.constantFrom("answers", "throws", "resolves", "rejects", "none"), answered);
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(fc.constantFrom(OTHER, THIS), fc.string()),
      road,
      fc.boolean(),
      async (id, [how, value], isHeld) => {
        let calls = 0;
        const resume = (): unknown => {
          calls++;
          if (how === "throws") throw value;
          if (how === "rejects") return Promise.reject(value);
          return how === "resolves" ? Promise.resolve(value) : value;
        };
        const answer = await probeIdleResume(id, {
          thisBc: THIS,
          fleet: isHeld ? fleetUnder(CURSOR_QUOTA_HOLD) : fleetUnder(),
          ...(how !== "none" && { resume }),
        });
        expect(answer.action).toBe("STOP");
        expect(answer.invoke_model).toBe(false);
        expect(calls).toBe(!isHeld && id === OTHER && how !== "none" ? 1 : 0);
      },
    ),
    fuzzRuns(500),
  );
});

test("resume_roads lists the roads of contract §5; resume of another run is UNMEASURED, and Claude's Slack app is not claimed", async () => {
  const { resume_roads } = await probeIdleResume(OTHER, { thisBc: THIS });
  expect(resume_roads.map(({ road, measured, enabled, state }) => [road, measured, enabled, state])).toEqual([
    ["Slack app spawn", true, false, "CURSOR_QUOTA_HOLD"],
    ["this-run timer follow-up", true, false, "CURSOR_QUOTA_HOLD"],
    ["issue 1316 desktop doorbell", true, false, "CURSOR_QUOTA_HOLD"],
    ["ntfy mail", true, false, "CURSOR_QUOTA_HOLD"],
    ["resume of another run", false, false, "UNMEASURED"],
  ]);
  expect(JSON.stringify(resume_roads)).not.toMatch(/claude/i);
});

function throwing(what: unknown): () => never {
  return () => {
    throw what;
  };
}

/** An object that throws whatever is asked of it. */
function trap(): object {
  const get = throwing(new Error("trap"));
  return new Proxy({}, { get, getPrototypeOf: get, ownKeys: get, has: get, getOwnPropertyDescriptor: get });
}
