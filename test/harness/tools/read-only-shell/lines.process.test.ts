import { tmpdir } from "node:os";
import { beforeAll, describe, expect, test } from "vitest";
import type { Enclosure } from "../../../../src/harness/enclosure/enclosure.ts";
import { findEnclosure } from "../../../../src/harness/enclosure/find-enclosure.ts";
import { runCommand } from "../../../../src/harness/tools/run-command.ts";
import { shellTool } from "../../../../src/harness/tools/shell.ts";
import { type HostileCheckout, hostileCheckout } from "../../../support/hostile-checkout.ts";
import { READING_LINES, REFUSED_LINES } from "./lines.ts";

const env = { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent", TMPDIR: tmpdir(), LC_ALL: "C" };
const over = new AbortController().signal;

const bubblewrap = await findEnclosure({ choice: "bwrap", env }).catch(() => undefined);

describe("the policy alone is enough: nothing protects the tree, and nothing changes it", () => {
  let world: HostileCheckout;
  let before: string;
  let enclosure: Enclosure;
  beforeAll(async () => {
    world = hostileCheckout();
    before = world.state();
    enclosure = await findEnclosure({ choice: "auto", env, kinds: ["marks", "group"] });
  });

  test.each(READING_LINES)("%s", async (line) => {
    const { tree } = world;
    const shell = shellTool({ workspace: tree, authority: "read_only", enclosure, env, mounts: [] });
    const result = await shell.call({ command: line, timeout_seconds: 30 }, over);
    expect(result.kind === "error" ? result.message : "").not.toMatch(
      /^shell:|could not be started|syntax|not a git repository/i,
    );
    expect(world.ran()).toEqual([]);
    expect(world.state() === before, "the tree or the remote was changed").toBe(true);
  });
});

describe.skipIf(bubblewrap === undefined)(
  "the enclosure alone is enough: the policy is off, and what it refuses changes nothing",
  () => {
    let world: HostileCheckout;
    let before: string;
    beforeAll(() => {
      world = hostileCheckout();
      before = world.state();
    });

    test.each(REFUSED_LINES)("a line that %s: %s", async (_what, line) => {
      if (bubblewrap === undefined) return;
      const mounts = [world.tree, world.remote].map((path) => ({ path, access: "read" }) as const);
      const command = { argv: ["bash", "-c", line] as const, cwd: world.tree, env, mounts, timeoutMs: 3_000 };
      expect(await runCommand(bubblewrap, command, over)).toHaveProperty("kind");
      expect(world.state() === before, "the tree or the remote was changed").toBe(true);
    });
  },
);

test("the checkout is as hostile as it looks: with neither, git runs what is set there", async () => {
  const world = hostileCheckout();
  const enclosure = await findEnclosure({ choice: "auto", env, kinds: ["marks", "group"] });
  const lines = "git status; git diff; git log -p --format=%G?; git show HEAD:README.md; git blame README.md";
  await runCommand(enclosure, { argv: ["sh", "-c", lines], cwd: world.tree, env, mounts: [], timeoutMs: 30_000 }, over);
  expect(world.ran()).toEqual(expect.arrayContaining(["core.fsmonitor", "diff.external", "gpg.program", "module.fsmonitor"]));
});
