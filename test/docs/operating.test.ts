import { expect, it } from "vitest";
import { STATES } from "../../src/report/job-state.ts";
import { runInProcess } from "../support/cli-in-process.ts";
import { atNoon } from "../support/noon.ts";
import { pageText } from "../support/page-walk.ts";
import { tempDirectory } from "../support/temp-directory.ts";

it("docs/operating.md names every state, in the order in which status shows them", () => {
  const rows = [...pageText("docs/operating.md").matchAll(/^\| ([a-z ]+?) +\| /gm)].map(([, state]) => state);
  expect(rows.filter((state) => state !== "state")).toEqual(STATES);
});

it("docs/harness-wake.service calls the program as its command line allows", async () => {
  const [, line = ""] = /^ExecStart=\S*harness-wake (.*)$/m.exec(pageText("docs/harness-wake.service")) ?? [];
  expect(line).toContain("--every 60s");
  // A clock that stands still is the one thing wrong with it, so that it ticks nowhere.
  const { code, err } = await runInProcess({ cwd: tempDirectory() }, ...line.split(" "), "--now", atNoon());
  expect([code, err]).toEqual([2, expect.stringContaining("--now stands still")]);
});
