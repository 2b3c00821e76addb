import { expect, it } from "vitest";
import { startNtfyProcess } from "../support/ntfy-process.ts";
import { walkOn } from "../support/page-walk.ts";
import { paste, withoutTimes } from "../support/paste.ts";
import { bundleTerminalCli } from "../support/terminal-cli-bundle.ts";

it("the tutorial's walk from WAKE to DONE prints on a terminal what the page shows, and leaves no file behind", async () => {
  const walk = walkOn("docs/tutorial.md");
  expect(walk.map(({ output }) => output).join("")).toMatch(/RUNNABLE.*CHECKPOINT.*NOT_DURABLE.*: DONE/s);
  const ntfy = await startNtfyProcess();
  try {
    const steps = walk.map(({ commands }) => commands.replaceAll("https://ntfy.sh", ntfy.url));
    const { outputs, ...rest } = await paste(steps, await bundleTerminalCli());
    expect(rest).toEqual({ stderr: "", code: 0, leftBehind: [] });
    expect(outputs.map(withoutTimes)).toEqual(walk.map(({ output }) => output));
    expect(await ntfy.messages("harbor-wakes-tXJ41Qm")).toHaveLength(2);
  } finally {
    await ntfy.stop();
  }
});
