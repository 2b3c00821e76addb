import { expect, test } from "vitest";
import { globPattern } from "../../../src/harness/tools/glob-pattern.ts";

test.each<[glob: string, path: string, isNamed: boolean]>([
  ["*.ts", "a.ts", true],
  ["*.ts", "src/a.ts", true],
  ["*.ts", "a.tsx", false],
  ["a?.ts", "ab.ts", true],
  ["a?.ts", "a.ts", false],
  ["*a*b*", "xaxbx", true],
  ["*a*b*", "xbxax", false],
  ["src/*.ts", "src/a.ts", true],
  ["src/*.ts", "src/deep/a.ts", false],
  ["src/*.ts", "x/src/a.ts", false],
  ["src/**", "src/deep/a.ts", true],
  ["src/**/a.ts", "src/a.ts", true],
  ["**/a.ts", "a.ts", true],
  ["**/deep/*.ts", "src/deep/a.ts", true],
  ["[a].ts", "a.ts", false],
  ["a.ts", "axts", false],
])("%s names %s: %s", (glob, path, isNamed) => {
  expect(globPattern(glob)(path)).toBe(isNamed);
});

test("a glob of many stars is compared at once", () => {
  expect(globPattern(`${"*a".repeat(100)}b`)("a".repeat(255))).toBe(false);
});
