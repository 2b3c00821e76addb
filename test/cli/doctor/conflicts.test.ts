import { expect, test } from "vitest";
import { conflictsIn, conflictWords } from "../../../src/cli/doctor/conflicts.ts";

const OURS = "<<<<<<< HEAD\n  1,\n";
const BASE = "||||||| 1a2b3c\n  0,\n";
const THEIRS = "=======\n  2,\n>>>>>>> wake-state\n";

test.each([
  ["as git writes it", `{\n${OURS}${THEIRS}}\n`, 2],
  ["with the base between them", `{\n${OURS}${BASE}${THEIRS}}\n`, 2],
  ["with the line ends of Windows", `${OURS}${THEIRS}`.replaceAll("\n", "\r\n"), 1],
])("a conflict %s is told by its line and both sides", (_, text, line) => {
  const conflicts = conflictsIn(text);
  expect(conflicts).toEqual([{ line, ours: { name: "HEAD", lines: ["1,"] }, theirs: { name: "wake-state", lines: ["2,"] } }]);
  expect(conflicts.map(conflictWords)).toEqual([`line ${line}: HEAD has 1,; wake-state has 2,`]);
});

test("two conflicts are two, and a side may have nothing", () => {
  const text = `${OURS}${THEIRS}x\n<<<<<<< HEAD\n=======\n  3,\n>>>>>>> b\n`;
  expect(conflictsIn(text).map(conflictWords)).toEqual([
    "line 1: HEAD has 1,; wake-state has 2,",
    "line 7: HEAD has nothing; b has 3,",
  ]);
});

test.each(["", "{}", OURS, THEIRS, "=======\n"])("markers that are not whole (%j) are none", (text) => {
  expect(conflictsIn(text)).toEqual([]);
});

test("a text that is full of half markers is looked through at once", () => {
  expect(conflictsIn("<<<<<<< a\n=======\n".repeat(20_000))).toEqual([]);
});
