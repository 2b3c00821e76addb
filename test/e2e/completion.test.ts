import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { runCli } from "../support/run-cli.ts";
import { tempDirectory } from "../support/temp-directory.ts";

test.each([
  [["sta"], ["status"]],
  [["status", "--wat"], ["--watch"]],
  [
    ["init", "--worker", ""],
    ["claude-code", "codex"],
  ],
])("a shell that asks to complete %j is told %j", async (words, told) => {
  const { code, stdout } = await runCli({ cwd: tempDirectory() }, "complete", "--", ...words);
  const lines = stdout
    .trimEnd()
    .split("\n")
    .map((line) => line.split("\t")[0]);
  expect([code, lines]).toEqual([0, [...told, ":4"]]);
});

test("the script for bash is one that bash can read", async () => {
  const { code, stdout } = await runCli({ cwd: tempDirectory() }, "completion", "bash");
  expect(code).toBe(0);
  expect(execFileSync("bash", ["-n"], { input: stdout, encoding: "utf8" })).toBe("");
  expect(stdout).toContain("complete -F");
});

test("a shell that is not known is wrong use", async () => {
  expect(await runCli({ cwd: tempDirectory() }, "completion", "csh")).toMatchObject({ code: 2, json: { code: "USAGE" } });
});
