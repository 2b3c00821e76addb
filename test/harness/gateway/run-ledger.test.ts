import fc from "fast-check";
import { expect, test } from "vitest";
import { NOTHING_TOLD } from "../../../src/harness/gateway/answer.ts";
import { RunLedger, UNCOUNTED_ANSWERS_MAX } from "../../../src/harness/gateway/run-ledger.ts";
import { addTokens, countedTokens, NO_TOKENS, type Tokens } from "../../../src/harness/gateway/tokens.ts";
import { HandClock } from "../../support/hand-clock.ts";

function ledger(budgetTokens: number): RunLedger {
  return new RunLedger({ budgetTokens, patienceMs: 60_000, clock: new HandClock() });
}

function answerWhole(run: RunLedger, tokens: Tokens, isCounted = true): void {
  run.begin();
  const account = run.open();
  account.tell({ ...NOTHING_TOLD, tokens, isCounted });
  account.settle();
  run.answered(null);
}

const count = fc.nat(1000);
const tokens: fc.Arbitrary<Tokens> = fc.record({ input: count, output: count, cacheWrite: count, cacheRead: count });

test("a call is made as long as fewer tokens are counted than the budget has, and none after", () => {
  fc.assert(
    fc.property(fc.nat(20_000), fc.array(tokens), (budgetTokens, answers) => {
      const run = ledger(budgetTokens);
      let sum = NO_TOKENS;
      for (const answer of answers) {
        expect(run.refusal()?.kind).toBe(countedTokens(sum) >= budgetTokens ? "budget" : undefined);
        if (run.refusal() !== null) break;
        answerWhole(run, answer);
        sum = addTokens(sum, answer);
      }
      expect(run.usage()).toMatchObject({ ...sum, counted: sum.input + sum.output + sum.cacheWrite });
    }),
  );
});

test("tokens read from the cache use no budget up", () => {
  const run = ledger(10);
  answerWhole(run, { ...NO_TOKENS, cacheRead: 1_000_000 });
  expect(run.refusal()).toBeNull();
});

test("what answers under way have told counts, so that the next call is refused before they end", () => {
  const run = ledger(100);
  run.begin();
  const account = run.open();
  account.tell({ ...NOTHING_TOLD, tokens: { ...NO_TOKENS, input: 100 } });
  expect(run.refusal()?.kind).toBe("budget");
  account.settle();
  expect(run.usage()).toMatchObject({ input: 100, counted: 100, uncountedAnswers: 1 });
});

test("telling the same again moves no count", () => {
  const run = ledger(100);
  const account = run.open();
  const answer = { ...NOTHING_TOLD, tokens: { ...NO_TOKENS, input: 1 } };
  expect([account.tell(NOTHING_TOLD), account.tell(answer), account.tell({ ...answer, isCounted: true })]).toEqual([
    false,
    true,
    false,
  ]);
});

test("answers that keep their tokens to themselves end the run, since its budget holds nothing then", () => {
  const run = ledger(1_000);
  for (let i = 0; i < UNCOUNTED_ANSWERS_MAX; i++) {
    expect(run.refusal()).toBeNull();
    answerWhole(run, NO_TOKENS, false);
  }
  expect(run.refusal()).toMatchObject({ kind: "budget", message: expect.stringContaining("include_usage") });
});

test("the last error is forgotten with the next good answer, a refusal never", () => {
  const run = ledger(1_000);
  run.fail({ kind: "server", what: "HTTP 500", status: 500 });
  expect(run.usage().lastError).toBe("server");
  answerWhole(run, NO_TOKENS);
  expect(run.usage().lastError).toBeNull();
  run.fail({ kind: "auth", what: "HTTP 401", status: 401 });
  answerWhole(run, NO_TOKENS);
  expect(run.usage()).toMatchObject({ lastError: "auth", refusal: { kind: "auth" } });
});

test("the first reason to end stays", () => {
  const run = ledger(1);
  run.fail({ kind: "auth", what: "HTTP 401", status: 401 });
  answerWhole(run, { ...NO_TOKENS, output: 5 });
  expect(run.refusal()?.kind).toBe("auth");
});
