import { expect, test } from "vitest";
import { LastLines } from "../../../src/harness/enclosure/last-lines.ts";

function lastLinesOf(...chunks: readonly string[]): string {
  const lines = new LastLines();
  for (const chunk of chunks) lines.add(Buffer.from(chunk));
  return lines.text(["known-secret-value"]);
}

test("the last twenty lines are told, however they came", () => {
  const text = Array.from({ length: 100 }, (_, i) => `line ${i}`).join("\n");
  const told = lastLinesOf(...text.split(/(?<=7)/));
  expect(told.split("\n")).toHaveLength(20);
  expect(told).toMatch(/^line 80\n.*line 99$/s);
});

test("a line of a megabyte is told by its end, in two thousand characters", () => {
  const told = lastLinesOf("word ".repeat(200_000), "the end");
  expect(told).toHaveLength(2_000);
  expect(told).toMatch(/^….*the end$/s);
});

test("colours, bells and progress bars are not told", () => {
  expect(lastLinesOf("\u001b[31mred\u001b[0m\u0007\n 10%\r 50%\r100%\n\u001b]0;title\u0007end\u202e\n")).toBe("red\n100%\nend");
});

test("a secret is not told, neither whole nor by the half that a cut left", () => {
  expect(lastLinesOf("it is known-secret-value!\n")).toBe("it is [removed]!");
  const told = lastLinesOf(`${"x".repeat(40_000)}\n`, `a known-secret-value ${"y ".repeat(16_378)}`);
  expect(told).not.toMatch(/secret|value/);
});

test("half a character at a cut is no harm", () => {
  expect(lastLinesOf("ä".repeat(30_000), " end")).toMatch(/end$/);
});
