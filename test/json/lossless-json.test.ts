import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isRawNumber, type Json } from "../../src/json/json.ts";
import { compareCodePoints, formatCanonical, formatFile, parseLossless } from "../../src/json/lossless-json.ts";
import { parseJson } from "../../src/json/parse-json.ts";
import { arbitraryNumberText } from "../support/arbitrary-number-text.ts";
import { fuzzRuns } from "../support/fuzz-runs.ts";

const FRAGILE = ["1.0", "1e400", "-0.0", "-0", "1E-7", "1e5", "1.50", "1234567890123456789", "-9007199254740993", "0.1e-999"];

describe("numbers survive a rewrite exactly", () => {
  test.each(FRAGILE)("%s comes back as it was, wherever it stands", (text) => {
    const file = formatFile(parseLossless(`{"a": ${text}, "b": [${text} ,${text}], "c": {"d":${text}}}`));
    expect(file).toBe(`{\n  "a": ${text},\n  "b": [\n    ${text},\n    ${text}\n  ],\n  "c": {\n    "d": ${text}\n  }\n}\n`);
    expect(formatFile(parseLossless(file))).toBe(file);
  });

  test("a number followed by white space or a line break is not overlooked", () => {
    for (const space of [" ", "\n", "\r\n", "\t\t", "   \n  "]) {
      expect(formatCanonical(parseLossless(`{"a":1.0${space}}`))).toBe('{"a":1.0}');
      expect(formatCanonical(parseLossless(`[1e400${space},2]`))).toBe("[1e400,2]");
    }
  });

  test("the last of two equal keys counts, with its own text", () => {
    expect(formatCanonical(parseLossless('{"a":1.0,"b":2,"a":3.00}'))).toBe('{"a":3.00,"b":2}');
    expect(formatCanonical(parseLossless('{"a":{"x":1.0},"a":2.0}'))).toBe('{"a":2.0}');
    expect(formatCanonical(parseLossless('{"a":2.0,"a":{"x":1.0}}'))).toBe('{"a":{"x":1.0}}');
  });

  test("a number under __proto__ or under a key that looks like an integer keeps its text", () => {
    const text = '{"10":1.0,"9":{"__proto__":{"x":2.0}},"__proto__":3.0,"constructor":4.0}';
    expect(formatCanonical(parseLossless(text))).toBe(text);
  });

  test("a number that a plain parse gives back the same stays a plain number", () => {
    expect(parseLossless('{"a":1.5,"b":123,"c":[1e400]}')).toMatchObject({ a: 1.5, b: 123 });
  });

  test("digits inside text are no numbers", () => {
    expect(parseLossless('{"a":"1.0","b":"x 1e400 ,"}')).toEqual({ a: "1.0", b: "x 1e400 ," });
  });

  test("whatever the numbers, parse, format and parse give the same text again", () => {
    fc.assert(
      fc.property(fc.array(arbitraryNumberText, { minLength: 1 }), fc.constantFrom("", " ", "\n"), (texts, space) => {
        const parsed = parseLossless(`[${texts.join(`${space},${space}`)}${space}]`);
        expect(formatCanonical(parsed)).toBe(`[${texts.join(",")}]`);
        expect(formatCanonical(parseLossless(formatFile(parsed)))).toBe(`[${texts.join(",")}]`);
      }),
      fuzzRuns(5000),
    );
  });
});

describe("keys", () => {
  test("are sorted by code point, those that look like integers too", () => {
    expect(formatFile(parseLossless('{"a":1,"9":2,"10":3,"Z":4,"":5}'))).toBe(
      '{\n  "": 5,\n  "10": 3,\n  "9": 2,\n  "Z": 4,\n  "a": 1\n}\n',
    );
  });

  test("beyond the basic plane sort after all others, unlike in UTF-16", () => {
    expect(formatFile({ "\u{1f6a2}": 1, "\uff5e": 2, "\ue000": 3, é: 4 })).toBe(
      '{\n  "é": 4,\n  "\ue000": 3,\n  "\uff5e": 2,\n  "\u{1f6a2}": 1\n}\n',
    );
  });

  test("named __proto__, constructor and prototype are data like any other", () => {
    const text = '{"__proto__":{"polluted":true},"constructor":{"prototype":1},"prototype":null}';
    const parsed = parseLossless(text);
    expect(formatCanonical(parsed)).toBe(text);
    expect(Object.hasOwn(parsed as object, "__proto__")).toBe(true);
    expect(Reflect.get({}, "polluted")).toBeUndefined();
  });

  test("compare as their lists of code points do", () => {
    const key = fc.string({
      unit: fc.oneof(fc.constantFrom("a", "\uff5e", "\u{1f6a2}", "\ue000"), fc.string({ unit: "binary" })),
    });
    const asCodePoints = (a: string, b: string): number => {
      const [x, y] = [[...a], [...b]];
      const at = x.findIndex((char, i) => char !== y[i]);
      if (at === -1) return Math.sign(x.length - y.length);
      return at >= y.length ? 1 : Math.sign((x[at]?.codePointAt(0) ?? 0) - (y[at]?.codePointAt(0) ?? 0));
    };
    fc.assert(
      fc.property(key, key, (a, b) => {
        expect(Math.sign(compareCodePoints(a, b))).toBe(asCodePoints(a, b));
      }),
      fuzzRuns(3000),
    );
  });
});

test("empty arrays and objects stay on one line, and the file ends in one line break", () => {
  expect(formatFile({ a: [], b: {}, c: [[]] })).toBe('{\n  "a": [],\n  "b": {},\n  "c": [\n    []\n  ]\n}\n');
});

test("canonical text holds ASCII alone, escaped in lower-case hex and surrogate pairs", () => {
  expect(formatCanonical("é→\u{1f6a2}\u007f\u2028\u0001\n")).toBe('"\\u00e9\\u2192\\ud83d\\udea2\\u007f\\u2028\\u0001\\n"');
});

test("any JSON is written so that a plain parse reads the same value", () => {
  const json = fc.jsonValue({ noUnicodeString: false }).filter((value) => typeof value === "object" && value !== null);
  fc.assert(
    fc.property(json, (value) => {
      const plain: unknown = parseJson(JSON.stringify(value));
      expect(parseJson(formatFile(plain as Json))).toEqual(plain);
      expect(parseJson(formatCanonical(plain as Json))).toEqual(plain);
      expect(formatCanonical(parseLossless(formatFile(plain as Json)))).toBe(formatCanonical(plain as Json));
    }),
    fuzzRuns(3000),
  );
});

test("what is not JSON throws SyntaxError", () => {
  expect(() => parseLossless('{"a":1.0,}')).toThrow(SyntaxError);
});

test("only numbers that would change are kept as raw text", () => {
  const parsed = parseLossless("[1.0,1,0.1,9007199254740991,9007199254740993]") as readonly Json[];
  expect(parsed.map(isRawNumber)).toEqual([true, false, false, false, true]);
});
