import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type FailingSince, type Failure, judgeFailure } from "../../../src/harness/gateway/failure.ts";

const PATIENCE_MS = 60_000;

/** What a row of failures at these times leads to. */
function judgeRow(failure: Failure, timesMs: readonly number[]): readonly (string | undefined)[] {
  let failing: FailingSince | null = null;
  return timesMs.map((nowMs) => {
    const judged = judgeFailure(failure, failing, nowMs, PATIENCE_MS);
    failing = judged.failing;
    return judged.refusal?.message;
  });
}

const http = (status: number, kind: Failure["kind"], more: Partial<Failure> = {}): Failure => ({
  kind,
  what: `HTTP ${status}`,
  status,
  ...more,
});

test("a key that the API refuses ends the run at once", () => {
  expect(judgeRow(http(401, "auth"), [0])).toEqual(["the API refused the worker's key, or its account (HTTP 401)"]);
});

test("a model that this key may not use is the agent's to get on without", () => {
  expect(judgeRow(http(403, "auth"), [0, 70_000, 140_000])).toEqual([undefined, undefined, undefined]);
});

describe.each([http(429, "rate_limit"), http(529, "server"), { kind: "network", what: "ECONNREFUSED" } as const])(
  "$what",
  (failure) => {
    test("is left to the agent's own retries for a minute", () => {
      expect(judgeRow(failure, [0, 20_000, 40_000, 59_999, 60_000])).toEqual([
        undefined,
        undefined,
        undefined,
        undefined,
        `the API has failed for 60 s (${failure.what})`,
      ]);
    });

    test("ends no run that tried only twice, however far apart", () => {
      expect(judgeRow(failure, [0, 3_600_000])).toEqual([undefined, undefined]);
    });

    test("ends at once where the API asks to wait longer than that", () => {
      expect(judgeRow({ ...failure, retryAfterMs: 61_000 }, [0])).toEqual([`the API asks to wait 61 s (${failure.what})`]);
      expect(judgeRow({ ...failure, retryAfterMs: 60_000 }, [0])).toEqual([undefined]);
      expect(judgeRow({ ...failure, retryAfterMs: Number.POSITIVE_INFINITY }, [0])).toEqual([
        `the API asks to wait until a later date (${failure.what})`,
      ]);
    });

    test("ends every run that goes on trying", () => {
      fc.assert(
        fc.property(fc.array(fc.integer({ min: 0, max: 32_000 }), { minLength: 1 }), (pausesMs) => {
          let nowMs = 0;
          const times = [0, ...pausesMs.map((pause) => (nowMs += pause)), nowMs + PATIENCE_MS, nowMs + PATIENCE_MS];
          expect(judgeRow(failure, times).at(-1)).toContain("the API has failed for");
        }),
      );
    });
  },
);

test("an answer that the agent can act on breaks the row", () => {
  const server = http(500, "server");
  const first = judgeFailure(server, null, 0, PATIENCE_MS);
  const second = judgeFailure(server, first.failing, 40_000, PATIENCE_MS);
  const told = judgeFailure(http(400, "context"), second.failing, 50_000, PATIENCE_MS);
  expect(told).toEqual({ failing: null, refusal: null });
  expect(judgeFailure(server, told.failing, 70_000, PATIENCE_MS).refusal).toBeNull();
});
