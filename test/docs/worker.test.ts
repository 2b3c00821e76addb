import { expect, it } from "vitest";
import { walkOn } from "../support/page-walk.ts";
import { paste, withoutMachine, withoutTimes } from "../support/paste.ts";
import { bundleTerminalCli } from "../support/terminal-cli-bundle.ts";

it("the worker's walk prints on a terminal what the page shows, and leaves no file behind", async () => {
  const walk = walkOn("docs/worker.md");
  const steps = walk.map(({ commands }) => commands);
  const { outputs, ...rest } = await paste(steps, await bundleTerminalCli());
  expect(rest).toEqual({ stderr: "", code: 0, leftBehind: [] });
  expect(outputs.map(withoutTimes).map(withoutMachine)).toEqual(walk.map(({ output }) => withoutMachine(output)));
});
