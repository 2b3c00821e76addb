import { beforeAll, expect, test } from "vitest";
import { commandSurface } from "../../scripts/cli-reference.ts";
import { exampleOf } from "../../src/cli/example.ts";
import { runInProcess } from "../support/cli-in-process.ts";
import { harborFleet } from "../support/harbor-fleet.ts";
import { atNoon } from "../support/noon.ts";

/** The verbs that look, each with an example in its help. */
const LOOKING = ["status", "list", "show", "why"] as const;

function exampleFor(name: string): string {
  const program = commandSurface();
  return exampleOf(program.commands.find((verb) => verb.name() === name) ?? program) ?? "";
}

let cwd: string;
beforeAll(() => {
  cwd = harborFleet();
});

test.each(LOOKING)("the example of %s runs as it stands, and its help shows it", async (verb) => {
  const example = exampleFor(verb);
  const [program, ...args] = example.replace("nightly-report", "harbor-working-01").split(" ");
  expect(program).toBe("harness-wake");
  const { code, err } = await runInProcess({ cwd }, ...args, "--now", atNoon());
  // The fleet holds a broken file on purpose, which views of the whole fleet tell.
  expect([code, err.includes("harbor-broken-01")]).toEqual(verb === "show" || verb === "why" ? [0, false] : [1, true]);
  expect((await runInProcess({ cwd }, verb, "--help")).out).toContain(`Example:\n  ${example}`);
});
