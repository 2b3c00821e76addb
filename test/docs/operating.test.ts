import { expect, it } from "vitest";
import { STATES } from "../../src/report/job-state.ts";
import { pageText } from "../support/page-walk.ts";

it("docs/operating.md names every state, in the order in which status shows them", () => {
  const rows = [...pageText("docs/operating.md").matchAll(/^\| ([a-z ]+?) +\| /gm)].map(([, state]) => state);
  expect(rows.filter((state) => state !== "state")).toEqual(STATES);
});
