import { expect, test } from "vitest";
import { remembered } from "../../src/holds/remembered.ts";

function counting() {
  let asked = 0;
  let now = 0;
  return {
    ask: async () => ++asked,
    clock: { monotonic: () => now },
    after: (ms: number) => {
      now += ms;
    },
  };
}

test("an answer is good for as long as it was said to be, and is then asked for anew", async () => {
  const { ask, clock, after } = counting();
  const answer = remembered(60_000, clock, ask);
  expect(await Promise.all([answer(), answer()])).toEqual([1, 1]);
  after(59_999);
  expect(await answer()).toBe(1);
  after(1);
  expect(await answer()).toBe(2);
});

test("a failure is not remembered", async () => {
  const { clock } = counting();
  let fails = true;
  const answer = remembered(60_000, clock, async () => {
    if (fails) throw new Error("the remote is away");
    return "here";
  });
  await expect(answer()).rejects.toThrow("away");
  fails = false;
  expect(await answer()).toBe("here");
});
