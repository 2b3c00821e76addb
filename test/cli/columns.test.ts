import fc from "fast-check";
import stringWidth from "string-width";
import { describe, expect, test } from "vitest";
import { type Column, columnLines } from "../../src/cli/columns.ts";
import { wrapped } from "../../src/cli/wrapped.ts";
import { fuzzRuns } from "../support/fuzz-runs.ts";

const COLUMNS: readonly Column[] = [
  { header: "JOB", least: 10, spare: 0, cut: "middle" },
  { header: "STATE", least: 8, spare: 0 },
  { header: "NEXT", least: 6, spare: 1 },
  { header: "COST", least: 8, spare: 2, align: "right" },
];

/** What takes other room than it has characters, and what would act on a terminal. */
const words = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "夜間",
        "🚢",
        "👩‍👩‍👧",
        "e\u0301",
        "\u200b",
        "\u001b[31m",
        "\u009b2J",
        "\u202e",
        "\t",
        "\n",
        "::error",
        "ﬁ",
        "ا",
      ),
      fc.string({ unit: "binary", maxLength: 8 }),
      fc.string({ maxLength: 30 }),
    ),
    { maxLength: 6 },
  )
  .map((parts) => parts.join(""));

function textOf(lines: ReturnType<typeof columnLines>): readonly string[] {
  return lines.map((spans) => spans.map(({ text }) => text).join(""));
}

function cells(text: string): { text: string } {
  return { text };
}

describe("a table", () => {
  test("fits the width whatever its cells hold, a line per row, and passes nothing on that a terminal acts on", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(words, words, words, words), { maxLength: 5 }),
        fc.integer({ min: 24, max: 200 }),
        (rows, width) => {
          const lines = textOf(
            columnLines(
              COLUMNS,
              rows.map((row) => row.map(cells)),
              width,
            ),
          );
          expect(lines).toHaveLength(rows.length + 1);
          for (const line of lines) {
            expect(stringWidth(line)).toBeLessThanOrEqual(width);
            expect(line).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u);
          }
        },
      ),
      fuzzRuns(1000),
    );
  });

  test("leaves out the columns that can be spared best, then cuts the others", () => {
    const row = ["harbor-working-01", "working", "in 15m: wake", "$0.25"].map(cells);
    const at = (width: number | undefined): readonly string[] =>
      textOf(columnLines(COLUMNS, [row], width)).map((line) => line.trimEnd());
    expect(at(undefined)).toEqual([
      "JOB                STATE    NEXT           COST",
      "harbor-working-01  working  in 15m: wake  $0.25",
    ]);
    expect(at(47)).toEqual(at(undefined));
    expect(at(33)).toEqual(["JOB               STATE    NEXT", "harbor-w…king-01  working  in 15…"]);
    expect(at(20)).toEqual(["JOB          STATE", "harbo…ng-01  working"]);
  });

  test("takes more rows than a call takes arguments", () => {
    const rows = Array.from({ length: 130_000 }, (_, i) => [`job-${i}`, "OPEN", "", ""].map(cells));
    expect(columnLines(COLUMNS, rows, 80)).toHaveLength(130_001);
  });
});

test("wrapped words fit the width, and keep the lines that they have", () => {
  fc.assert(
    fc.property(words, fc.integer({ min: 24, max: 200 }), (text, width) => {
      for (const line of wrapped(text, width, "  ")) expect(stringWidth(line)).toBeLessThanOrEqual(width);
    }),
    fuzzRuns(1000),
  );
  expect(wrapped("one\ntwo", undefined, "  ")).toEqual(["  one", "  two"]);
});
