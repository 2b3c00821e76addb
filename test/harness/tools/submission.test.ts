import { describe, expect, test } from "vitest";
import { Submission } from "../../../src/harness/tools/submission.ts";
import type { JsonObject } from "../../../src/json/json.ts";
import { jobErrorOf } from "../../support/job-error-of.ts";

const SCHEMA: JsonObject = {
  type: "object",
  properties: { summary: { type: "string" }, pages: { type: "array", items: { $ref: "#/$defs/page" } } },
  required: ["summary"],
  additionalProperties: false,
  $defs: { page: { type: "string", minLength: 1 } },
};

/** A submission with what it told of its verdicts. */
function opened({ schema = SCHEMA, rejectionsMax = 2 } = {}) {
  const verdicts: string[] = [];
  const submission = new Submission({ schema, rejectionsMax, onVerdict: (verdict) => void verdicts.push(verdict) });
  const submit = (input: unknown) => submission.tool.call(input, new AbortController().signal);
  return { submission, verdicts, submit };
}

describe("a submission", () => {
  test("that its schema allows is accepted, and is the output", async () => {
    const { submission, verdicts, submit } = opened();
    expect(await submit({ summary: "done", pages: ["a"] })).toMatchObject({ kind: "text" });
    expect(submission.output).toEqual({ summary: "done", pages: ["a"] });
    expect(verdicts).toEqual(["accepted"]);
  });

  test("that its schema does not allow is an error that says where, what, and how many tries are left", async () => {
    const { submission, verdicts, submit } = opened();
    expect(await submit({ pages: [""], more: 1 })).toEqual({
      kind: "error",
      message:
        "Rejected: the submission must have required property 'summary'; the submission must NOT have additional properties: more; " +
        "/pages/0 must NOT have fewer than 1 characters. Mend it and submit again; tries left: 1.",
    });
    expect(submission.output).toBeUndefined();
    expect(verdicts).toEqual(["rejected"]);
  });

  test.each<[string, unknown]>([
    ["nothing", undefined],
    ["no object", ["summary"]],
    ["an object in text", '{"summary":"done"}'],
    ["what JSON cannot hold", { summary: "done", pages: () => undefined }],
    ["what nests too deep", { summary: "done", pages: JSON.parse(`${"[".repeat(5_000)}${"]".repeat(5_000)}`) }],
    ["more than a checkpoint may weigh", { summary: "x".repeat(1_100_000) }],
  ])("that is %s is rejected", async (_name, input) => {
    const { verdicts, submit } = opened();
    expect(await submit(input)).toMatchObject({ kind: "error" });
    expect(verdicts).toEqual(["rejected"]);
  });

  test("is taken no more after the last rejection", async () => {
    const { submission, verdicts, submit } = opened();
    await submit({});
    expect(await submit({})).toMatchObject({ kind: "error", message: expect.stringContaining("No submission is left.") });
    expect(await submit({ summary: "done" })).toEqual({ kind: "error", message: "No submission is left." });
    expect(submission.output).toBeUndefined();
    expect(verdicts).toEqual(["rejected", "rejected"]);
  });

  test("stands once it was accepted, whatever is submitted after it or done to what was given", async () => {
    const { submission, verdicts, submit } = opened();
    const given = { summary: "first" };
    await submit(given);
    given.summary = "changed";
    expect(await submit({ summary: "second" })).toMatchObject({ kind: "error" });
    expect(submission.output).toEqual({ summary: "first" });
    expect(verdicts).toEqual(["accepted"]);
  });
});

describe("the schema of a submission", () => {
  test("may be one of draft 7, where it says so", async () => {
    const pair = { type: "array", items: [{ type: "string" }, { type: "number" }] };
    const schema = { $schema: "http://json-schema.org/draft-07/schema#", type: "object", properties: { pair } };
    const { submit } = opened({ schema });
    expect(await submit({ pair: ["a", 1] })).toMatchObject({ kind: "text" });
    expect(await opened({ schema }).submit({ pair: [1, "a"] })).toMatchObject({ kind: "error" });
  });

  test.each<[string, JsonObject]>([
    ["is not one of an object", { type: "string" }],
    ["names no type", {}],
    ["is none", { type: "object", properties: 5 }],
    ["leads elsewhere", { type: "object", $ref: "https://example.com/schema.json" }],
    ["is of a draft that is not known", { $schema: "http://json-schema.org/draft-03/schema#", type: "object" }],
  ])("is refused where it %s", (_name, schema) => {
    expect(jobErrorOf(() => opened({ schema })).code).toBe("SCHEMA");
  });
});
