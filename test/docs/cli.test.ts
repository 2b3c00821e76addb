import { expect, it } from "vitest";
import { CLI_PAGE, cliReference } from "../../scripts/cli-reference.ts";
import { pageText } from "../support/page-walk.ts";

it("docs/cli.md is what the command line says of itself; npm run cli-reference writes it anew", () => {
  expect(pageText(CLI_PAGE)).toBe(cliReference());
});

it("every verb says what it does, and every option of it too", () => {
  const page = cliReference();
  expect(page).toContain("## create");
  expect(page).not.toMatch(/^- `[^`]+`: \.|undefined/m);
});
