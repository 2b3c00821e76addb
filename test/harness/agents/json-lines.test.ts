import fc from "fast-check";
import { expect, test } from "vitest";
import { JsonLines } from "../../../src/harness/agents/json-lines.ts";
import type { JsonObject } from "../../../src/json/json.ts";

function linesOf(...chunks: readonly Buffer[]): readonly JsonObject[] {
  const found: JsonObject[] = [];
  const lines = new JsonLines((line) => found.push(line));
  for (const chunk of chunks) lines.add(chunk);
  lines.end();
  return found;
}

test("lines are the same in whatever pieces they come, also in the middle of a character", () => {
  const objects = fc.array(fc.record({ text: fc.string({ unit: "grapheme" }), n: fc.integer() }), { maxLength: 5 });
  fc.assert(
    fc.property(objects, fc.array(fc.nat(), { maxLength: 8 }), (given, cuts) => {
      const whole = Buffer.from(given.map((one) => `${JSON.stringify(one)}\n`).join(""));
      const places = [0, ...cuts.map((cut) => cut % (whole.length + 1)).sort((a, b) => a - b), whole.length];
      const chunks = places.slice(1).map((end, i) => whole.subarray(places[i], end));
      expect(JSON.stringify(linesOf(...chunks))).toBe(JSON.stringify(given));
    }),
  );
});

test("what is no JSON object is passed over: other programs write there too", () => {
  expect(linesOf(Buffer.from('warning\n[1]\n{"a":1}\n{broken\n\n7\n{"b":2}'))).toEqual([{ a: 1 }, { b: 2 }]);
});

test("a line without end is passed over, in bounded memory, and the next one is read", () => {
  const chunk = Buffer.alloc(1024 * 1024, "x");
  const found = linesOf(Buffer.from('{"text":"'), ...Array.from({ length: 40 }, () => chunk), Buffer.from('\n{"after":true}\n'));
  expect(found).toEqual([{ after: true }]);
});

test("a line that nests without end breaks nothing", () => {
  const deep = `{"a":${"[".repeat(100_000)}`;
  expect(linesOf(Buffer.from(`${deep}\n{"b":2}\n`)).at(-1)).toEqual({ b: 2 });
  expect(linesOf(Buffer.from(`${deep}${"]".repeat(100_000)}}\n{"b":2}\n`)).at(-1)).toEqual({ b: 2 });
});
