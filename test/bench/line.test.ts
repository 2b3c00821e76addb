import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { holds, type Line, tableOf } from "./line.ts";

const line = (ratio: number): Line => ({ title: "a tick / its floor", measured: "20 ms", floor: "10 ms", ratio, limit: 2 });

it("a line holds up to its limit and misses past it", () => {
  expect([1.99, 2, 2.01].map((ratio) => holds(line(ratio)))).toEqual([true, true, false]);
});

it("the table says the ratio, the limit and whether it holds", () => {
  expect(tableOf([line(1.5), line(2.5)])).toBe(
    [
      "                    measured  floor  ratio  limit",
      "a tick / its floor     20 ms  10 ms   1.50    ≤ 2   holds",
      "a tick / its floor     20 ms  10 ms   2.50    ≤ 2  MISSES",
      "",
    ].join("\n"),
  );
});

it("the bench measures every line on a few jobs, and its exit code says whether all hold", async () => {
  const args = [join(import.meta.dirname, "run.ts"), "--quick", "--jobs", "20", "--thoroughness", "0.05"];
  const bench = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const [stdout, [status]] = await Promise.all([text(bench.stdout), once(bench, "close")]);
  // What 20 jobs cost says nothing; that each was measured, and the verdict, does.
  const verdicts = [...stdout.matchAll(/ \d+\.\d\d +≤ [\d.]+ +(holds|MISSES)$/gm)].map(([, verdict]) => verdict);
  const lines = readdirSync(join(import.meta.dirname, "lines")).filter((file) => file !== "landed-tick.ts");
  expect(verdicts.length).toBeGreaterThanOrEqual(lines.length);
  expect(status).toBe(verdicts.includes("MISSES") ? 1 : 0);
});
