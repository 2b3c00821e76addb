import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Json } from "../../src/json/json.ts";
import { formatFile, parseLossless } from "../../src/json/lossless-json.ts";
import { parseJson } from "../../src/json/parse-json.ts";
import { describeRepeatedKey, findRepeatedKey } from "../../src/json/repeated-key.ts";
import { surveyJson } from "../../src/json/survey-json.ts";
import { arbitraryNumberText } from "../support/arbitrary-number-text.ts";
import { fuzzRuns } from "../support/fuzz-runs.ts";

describe("a key that stands twice is found", () => {
  test.each([
    ["on lines of their own", '{\n  "a": 1,\n  "b": 2,\n  "a": 1\n}', "a stands twice, in lines 2 and 4"],
    ["on one line", '{"a":1, "a":2}', "a stands twice, in line 1"],
    ["with the same value", '{"a":{"x":1},"a":{"x":1}}', "a stands twice, in line 1"],
    ["spelled with an escape", '{"a":1,\n"\\u0061":2}', "a stands twice, in lines 1 and 2"],
    ["with a space before the colon", '{"a" :1,\n"a"\t:2}', "a stands twice, in lines 1 and 2"],
    ["deep inside", '{"a":[{},\n{"b":1,\n"b":2}]}', "a.1.b stands twice, in lines 2 and 3"],
    ["named __proto__", '{"__proto__":1,"__proto__":2}', "__proto__ stands twice, in line 1"],
    ["beside text that looks like keys", '{"a":"\\",\\"a\\":\\n","b":{"a":1},"a":0}', "a stands twice, in line 1"],
  ])("%s", (_, text, message) => {
    expect(surveyJson(text, parseJson(text)).mayRepeatKey).toBe(true);
    const repeated = findRepeatedKey(text);
    expect(repeated && describeRepeatedKey(repeated)).toBe(message);
  });

  test("but not under the key that is opaque", () => {
    const text = '{"own":{"a":1,"a":2},"b":{"c":1}}';
    expect(findRepeatedKey(text)?.path).toEqual(["own", "a"]);
    expect(findRepeatedKey(text, "own")).toBeUndefined();
    expect(findRepeatedKey(`${text.slice(0, -1)},"own":1}`, "own")?.path).toEqual(["own"]);
  });

  test("and none where the same key stands in different objects", () => {
    expect(findRepeatedKey('{"a":{"a":[{"a":1},{"a":"a"}]},"b":["a","a"]}')).toBeUndefined();
  });
});

const key = fc.oneof(fc.constantFrom("a", "b", "", "__proto__", '"', "\\", "a:"), fc.string({ maxLength: 3 }));
const space = fc.constantFrom("", "", " ", "\n  ", "\t", "\r\n");

/** Any JSON as text, repeated keys and odd spaces among it. */
const { text: anyText } = fc.letrec<{ readonly text: string }>((tie) => ({
  text: fc.oneof(
    { maxDepth: 3 },
    fc.oneof(
      arbitraryNumberText,
      fc.string().map((value) => JSON.stringify(value)),
      fc.constantFrom("true", "null", '": "', '"a\\": 1.0"'),
    ),
    fc.array(tie("text"), { maxLength: 3 }).map((entries) => `[${entries.join(", ")}]`),
    fc
      .array(fc.tuple(space, key, space, tie("text"), space), { maxLength: 4 })
      .map((members) => `{${members.map(([a, name, b, value, c]) => `${a}${JSON.stringify(name)}${b}:${value}${c}`).join(",")}}`),
  ),
}));
const text = fc.tuple(anyText, anyText).map(([a, b]) => `{"x": ${a},\n  "y":${b}}`);

describe("a survey misses nothing", () => {
  test("no key that stands twice", () => {
    fc.assert(
      fc.property(text, (found) => {
        if (findRepeatedKey(found) !== undefined) expect(surveyJson(found, parseJson(found)).mayRepeatKey).toBe(true);
      }),
      fuzzRuns(5_000),
    );
  });

  test("no number that a plain parse would change", () => {
    fc.assert(
      fc.property(text, (found) => {
        const plain = parseJson(found);
        if (JSON.stringify(plain) !== JSON.stringify(parseLossless(found))) {
          expect(surveyJson(found, plain).mayHoldFragileNumber).toBe(true);
        }
      }),
      fuzzRuns(5_000),
    );
  });

  test("and raises no alarm for a file as it is written", () => {
    const name = fc.string({ maxLength: 4 }).filter((found) => !found.includes(":"));
    fc.assert(
      fc.property(
        fc.dictionary(name, fc.dictionary(name, fc.oneof(name, fc.nat(), fc.constant("2026-11-30T12:00:00Z")))),
        (value) => {
          const written = formatFile(value as Json);
          expect(surveyJson(written, parseJson(written))).toEqual({ mayRepeatKey: false, mayHoldFragileNumber: false });
        },
      ),
    );
  });
});
