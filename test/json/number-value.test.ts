import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Json } from "../../src/json/json.ts";
import { parseLossless } from "../../src/json/lossless-json.ts";
import { isSameNumber, plainNumber } from "../../src/json/number-value.ts";
import { arbitraryNumberText } from "../support/arbitrary-number-text.ts";
import { fuzzRuns } from "../support/fuzz-runs.ts";

function number(text: string): Json {
  return (parseLossless(`[${text}]`) as readonly Json[])[0] ?? null;
}

describe("numbers compare by value", () => {
  test.each([
    ["1", "1.0"],
    ["1", "10e-1"],
    ["0", "-0.0"],
    ["0", "0e999"],
    ["100", "1E2"],
    ["1e400", "10e399"],
    ["1234567890123456789", "1234567890123456789.0"],
    ["0.1", "1e-1"],
    ["-2.50", "-25e-1"],
  ])("%s is %s", (a, b) => {
    expect(isSameNumber(number(a), number(b))).toBe(true);
    expect(isSameNumber(number(b), number(a))).toBe(true);
  });

  test.each([
    ["1", "-1"],
    ["1", "1.0000000000000000001"],
    ["1234567890123456789", "1234567890123456788"],
    ["9007199254740992", "9007199254740993"],
    ["1e400", "1e401"],
    ["1e-400", "0"],
    ["10", "1"],
  ])("%s is not %s", (a, b) => {
    expect(isSameNumber(number(a), number(b))).toBe(false);
    expect(isSameNumber(number(b), number(a))).toBe(false);
  });

  test("and nothing but a number is the same as one", () => {
    for (const other of ["1", null, true, [1], { rawJSON: "1" }]) expect(isSameNumber(number("1.0"), other)).toBe(false);
  });

  test("a number is the same as itself shifted by its exponent, and differs once a digit does", () => {
    const shift = fc.integer({ min: -50, max: 50 });
    fc.assert(
      fc.property(arbitraryNumberText, shift, (text, by) => {
        const [mantissa = "", power = "0"] = text.split(/[eE]/);
        const shifted = by >= 0 ? `${mantissa}${mantissa.includes(".") ? "" : "."}${"0".repeat(by)}e${power}` : text;
        const valid = shifted.replace(/\.e/, ".0e");
        expect(isSameNumber(number(text), number(valid))).toBe(true);
        if (/[1-9]/.test(mantissa)) {
          expect(isSameNumber(number(text), number(`${mantissa}e${Number(power) + (by || 1)}`))).toBe(false);
        }
      }),
      fuzzRuns(3000),
    );
  });

  test("a number of many digits takes no longer than its length", () => {
    const digits = `1${"0".repeat(400_000)}1`;
    expect(isSameNumber(number(digits), number(`${digits}.0`))).toBe(true);
    expect(isSameNumber(number(`1e${"9".repeat(200_000)}`), number(`1.0e${"9".repeat(200_000)}`))).toBe(true);
  }, 5_000);
});

describe("a harness gets plain numbers", () => {
  test.each([
    ["1.0", 1],
    ["-7", -7],
    ["9007199254740991", 9007199254740991],
    ["9007199254740993", 9007199254740993n],
    ["-1234567890123456789", -1234567890123456789n],
    ["1e3", 1000],
  ])("%s as %s", (text, plain) => {
    expect(plainNumber(text)).toBe(plain);
  });
});
