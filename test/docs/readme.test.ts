import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { pageText, walkOn } from "../support/page-walk.ts";
import { paste, withoutTimes } from "../support/paste.ts";
import { bundleTerminalCli } from "../support/terminal-cli-bundle.ts";

const ROOT = join(import.meta.dirname, "../..");
const BUILT_CLI = join(ROOT, "dist/cli.cjs");

describe("the README", () => {
  it("is short", () => {
    expect(pageText("README.md").split("\n").length).toBeLessThan(150);
  });

  it("names every verb", () => {
    const help = execFileSync(process.execPath, [BUILT_CLI, "--help"], { encoding: "utf8" });
    const verbs = [...(help.split("Commands:\n")[1] ?? "").matchAll(/^ {2}([a-z]+) /gm)].map(([, verb = ""]) => verb);
    expect(verbs).toContain("create");
    expect(verbs.filter((verb) => !pageText("README.md").includes(`\`${verb}\``))).toEqual([]);
  });
});

describe("the README's walk", () => {
  const walk = walkOn("README.md");
  const steps = walk.map(({ commands }) => commands);

  it("prints on a terminal what the README shows, and leaves no file behind", async () => {
    expect(steps.join("")).toMatch(/npx harness-wake create.*npx harness-wake --tick/s);
    expect(walk.map(({ output }) => output).join("")).toContain("WAKE    RUNNABLE");
    const { outputs, ...rest } = await paste(steps, await bundleTerminalCli());
    expect(rest).toEqual({ stderr: "", code: 0, leftBehind: [] });
    expect(outputs.map(withoutTimes)).toEqual(walk.map(({ output }) => output));
  });

  it("prints one JSON record per command through a pipe", async () => {
    const { outputs } = await paste(steps, BUILT_CLI);
    const records = outputs.map((output) =>
      output
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line)),
    );
    expect(records.map((step) => step.map(({ ok, state }) => ({ ok, state })))).toEqual([
      [{ ok: true, state: "CREATED" }],
      [
        { ok: true, state: "TICKED" },
        { ok: true, state: "TICKED" },
      ],
      [{ ok: true, state: "TICKED" }],
    ]);
    expect(records[1]?.[0].jobs[0]).toMatchObject({ action: "WAKE", attempt_id: "nightly-report-0001-a01" });
    expect(records[2]?.[0].jobs[0]).toMatchObject({ action: "STOP", reason: "DONE" });
  });
});
