import { describe, expect, test } from "vitest";
import { requireCursorOptions } from "../../../src/harness/cursor/cursor-options.ts";
import { jobErrorOf } from "../../support/job-error-of.ts";

function refusalOf(options: object): string {
  return jobErrorOf(() => requireCursorOptions(options as never)).message;
}

describe("the options of the Cursor adapter", () => {
  test("name a model, and may put the agent's prompt in the system prompt's place", () => {
    const options = { model: { id: "composer-2.5" }, replaceSystemPrompt: true };
    expect(requireCursorOptions(options)).toEqual(options);
  });

  test.each(["stub", "fake-model", "mock/one", "test", "Scripted:2"])("refuse the stubbed model %s", (id) => {
    expect(refusalOf({ model: { id } })).toContain("is a stub's name");
  });

  test.each(["", " ", "a b", "-p", "x\n", "é"])("refuse %j, which no model is called", (id) => {
    expect(refusalOf({ model: { id } })).toContain("cannot be a model's name");
  });

  test.each([{}, { model: "composer-2.5" }, { model: {} }])("refuse %j, in which no model is named", (options) => {
    expect(refusalOf(options)).toMatch(/^cursor: model.*is missing or cannot be that$/);
  });

  test.each([{ cloud: {} }, { runtime: "cloud" }])("refuse a run in Cursor's cloud: %j", (more) => {
    expect(refusalOf({ model: { id: "composer-2.5" }, ...more })).toContain("runs are local");
  });

  test("refuse by name what they do not know", () => {
    expect(refusalOf({ model: { id: "composer-2.5" }, mcpServers: {} })).toContain("mcpServers is not known");
  });
});
