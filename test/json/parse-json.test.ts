import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isRawNumber, numberText } from "../../src/json/json.ts";
import { parseLossless } from "../../src/json/lossless-json.ts";
import { parseExactly, parseJson } from "../../src/json/parse-json.ts";
import { isSameJson } from "../../src/json/same-json.ts";
import { fuzzRuns } from "../support/fuzz-runs.ts";

/** Keys of the characters that escapes are made of, so that one key's spelling is often another key. */
const trickyKey = fc
  .array(fc.constantFrom("\\", '"', "b", "n", "u", "0", "a", "\b", "\n"), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join(""));

/** The key in JSON, its first character often as an escape that it does not need. */
const spelling = fc.tuple(trickyKey, fc.boolean()).map(([key, isEscaped]) => {
  const first = `\\u${key.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return { key, text: isEscaped ? `"${first}${JSON.stringify(key.slice(1)).slice(1)}` : JSON.stringify(key) };
});

describe("every key is read as it is written", () => {
  test("the key of a quote, after the key of a backslash stood in its place", () => {
    const texts = ['{"step":0,"\\\\":1}', '{"step":0,"\\"":1}'];
    expect(texts.map((text) => Object.keys(parseJson(text) as object)[1])).toEqual(["\\", '"']);
  });

  test.each([
    ["without their numbers' text", parseJson],
    ["with it", parseLossless],
  ])("whatever was read before, %s", (_, parse) => {
    fc.assert(
      fc.property(fc.uniqueArray(spelling, { selector: ({ key }) => key, minLength: 1, maxLength: 4 }), (spellings) => {
        const text = `{${spellings.map(({ text }, i) => `${text}:${i}.0`).join(", ")}}`;
        const found = Object.entries(parse(text) as object).map(([key, value]) => [key, Number(numberText(value))]);
        expect(found.sort()).toEqual(spellings.map(({ key }, i) => [key, i]).sort());
      }),
      fuzzRuns(20_000),
    );
  });
});

describe("the parser for what may be misread", () => {
  test("gives the values that JSON.parse gives", () => {
    fc.assert(
      fc.property(fc.json({ noUnicodeString: false }), (text) => isSameJson(parseExactly(text), parseLossless(text))),
      fuzzRuns(3_000),
    );
  });

  test("takes what JSON.parse takes, and refuses with a SyntaxError what it refuses", () => {
    const damaged = fc
      .tuple(
        fc.json(),
        fc.nat(200),
        fc.nat(3),
        fc.constantFrom("", ",", "]", '"', "0", "-", ".", "e", "\\", "\t", "\n", "\0", "nul"),
      )
      .map(([text, at, cut, put]) => text.slice(0, at) + put + text.slice(at + cut));
    const isTaken = (parse: (text: string) => unknown, text: string): boolean => {
      try {
        parse(text);
        return true;
      } catch (error) {
        expect(error).toBeInstanceOf(SyntaxError);
        return false;
      }
    };
    fc.assert(
      fc.property(damaged, (text) => isTaken(parseExactly, text) === isTaken(JSON.parse, text)),
      fuzzRuns(5_000),
    );
  });

  test("keeps the text of numbers, __proto__ as a key like any other, and the last of two equal keys", () => {
    const value = parseJson('{"\\"":1.0,"n":12,"__proto__":{"x":1e400},"a":1,"a":{"b":[-0]}}') as Record<string, unknown>;
    expect(Object.keys(value)).toEqual(['"', "n", "__proto__", "a"]);
    expect(isRawNumber(value['"'])).toBe(true);
    expect(value["n"]).toBe(12);
    expect(JSON.stringify(value)).toBe('{"\\"":1.0,"n":12,"__proto__":{"x":1e400},"a":{"b":[-0]}}');
    expect(Reflect.get({}, "x")).toBeUndefined();
  });

  test("refuses a text that nests past what the stack bears", () => {
    expect(() => parseJson(`{"\\"":${"[".repeat(1_000_000)}`)).toThrow(SyntaxError);
  });
});
