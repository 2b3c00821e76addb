import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseOutcome, readOutcome } from "../../src/harness/outcome.ts";
import { outcomeJsonSchema, strictOutcomeJsonSchema } from "../../src/harness/outcome-json-schema.ts";
import { formatFile } from "../../src/json/lossless-json.ts";
import { tempDirectory } from "../support/temp-directory.ts";

function read(value: unknown) {
  return parseOutcome(typeof value === "string" ? value : JSON.stringify(value));
}

function reasonOf(value: unknown): string {
  const outcome = read(value);
  return outcome.kind === "broken" ? outcome.why : `not refused: ${JSON.stringify(outcome)}`;
}

describe("an outcome is taken as it was written", () => {
  test("with every field, and numbers to the last digit", () => {
    const text = `{"$schema":"x","checkpoint":{"step":2,"id":12345678901234567890,"share":1.0},"tokens_used":10.0,"cost_usd":0.5,
      "next_wake_at":"2026-12-01T00:00:00Z","result":{"n":1e400},"result_address":"page-0001"}`;
    const outcome = read(text);
    if (outcome.kind !== "outcome") throw new Error(JSON.stringify(outcome));
    expect(formatFile(outcome.outcome.checkpoint ?? null)).toContain("12345678901234567890");
    expect(formatFile(outcome.outcome.checkpoint ?? null)).toContain("1.0");
    expect(JSON.stringify(outcome.outcome.result)).toContain("1e400");
    expect(outcome.outcome).toMatchObject({ tokens_used: 10, cost_usd: 0.5, result_address: "page-0001" });
  });

  test.each([
    [{}, {}],
    [{ in: "90s" }, { in: "90s" }],
    [{ in: "1h30m" }, { in: "1h30m" }],
    [{ checkpoint: null, result: null, fail: null }, {}],
    [{ checkpoint: '{"step": 3}' }, { checkpoint: { step: 3 } }],
    [
      { fail: "the tests do not build", tokens_used: 7 },
      { fail: "the tests do not build", tokens_used: 7 },
    ],
    [
      { blocker: { kind: "external_authority", detail: "ask Ann" } },
      { blocker: { kind: "external_authority", detail: "ask Ann" } },
    ],
    [{ result: "all is done" }, { result: "all is done" }],
  ])("%j", (given, outcome) => expect(read(given)).toEqual({ kind: "outcome", outcome }));

  test("and keys of a checkpoint that mean something to JavaScript are data", () => {
    const outcome = read('{"checkpoint":{"__proto__":{"polluted":true},"constructor":1}}');
    expect(outcome.kind).toBe("outcome");
    expect({}).not.toHaveProperty("polluted");
    expect(JSON.stringify(outcome)).toContain('"__proto__":{"polluted":true}');
  });
});

describe("what is no outcome is refused with the reason", () => {
  test.each([
    ["{", /^is not JSON/],
    ["[]", /is no JSON object/],
    ["null", /is no JSON object/],
    [{ checkpont: {} }, /^has unknown keys: checkpont/],
    ['{"__proto__":{"x":1}}', /unknown keys: __proto__/],
    [{ checkpoint: [] }, /checkpoint must be an object/],
    [{ checkpoint: "not json" }, /checkpoint must be an object/],
    [{ tokens_used: 1.5 }, /tokens_used must be a whole number/],
    [{ tokens_used: -1 }, /tokens_used must be a whole number/],
    [{ cost_usd: "1" }, /cost_usd must be an amount/],
    [{ next_wake_at: "2026-02-30T00:00:00Z" }, /next_wake_at must be a time that exists/],
    [{ in: "soon" }, /in must be like 30m or 2d/],
    [{ in: "1h", next_wake_at: "2026-12-01T00:00:00Z" }, /both next_wake_at and in/],
    [{ result_address: "../etc/passwd" }, /result_address must be the id of a page/],
    [{ blocker: { kind: "tired", detail: "x" } }, /blocker\.kind must be external_authority or unavailable_state/],
    [{ blocker: { kind: "external_authority", detail: "" } }, /blocker\.detail must be text of 1 to 4000/],
    [{ blocker: { kind: "external_authority", detail: "x" }, result: 1 }, /both a blocker and a result/],
    [{ fail: "x".repeat(5_000) }, /fail must be text of 1 to 4000 characters/],
    [{ fail: "no", checkpoint: {} }, /has fail, which gives the attempt up/],
    [{ checkpoint: { text: "x".repeat(1_100_000) } }, /checkpoint is \d+ bytes; at most 1048576 fit/],
    [`{"checkpoint":${"[".repeat(300)}${"]".repeat(300)}}`, /nests deeper than 208 levels/],
    [`{"checkpoint":{"a":${"[".repeat(200)}${"]".repeat(200)}}}`, /checkpoint nests deeper than 200 levels/],
    ["[".repeat(500_000), /is not JSON|nests deeper/],
  ])("%s", (given, reason) => expect(reasonOf(given)).toMatch(reason));

  test("and whatever it is, it is told in a sentence and never thrown", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.jsonValue().map((value) => JSON.stringify(value)),
        ),
        (text) => {
          expect(["outcome", "broken"]).toContain(parseOutcome(text).kind);
        },
      ),
    );
  });
});

describe("the outcome file is outside input", () => {
  const directory = tempDirectory();
  const at = (name: string): string => join(directory, name);

  test("no file, or an empty one, is no outcome", () => {
    expect(readOutcome(at("none"))).toEqual({ kind: "none" });
    writeFileSync(at("empty"), "\n");
    expect(readOutcome(at("empty"))).toEqual({ kind: "none" });
  });

  test("a link, a directory, a pipe and a device are neither followed nor waited for", () => {
    symlinkSync("/etc/passwd", at("link"));
    mkdirSync(at("directory"));
    execFileSync("mkfifo", [at("pipe")]);
    for (const name of ["link", "directory", "pipe"]) {
      expect(readOutcome(at(name))).toMatchObject({ kind: "broken", why: expect.stringContaining("no regular file") });
    }
    expect(readOutcome("/dev/zero")).toMatchObject({ kind: "broken" });
  });

  test("a huge one is not read", () => {
    writeFileSync(at("huge"), "{");
    truncateSync(at("huge"), 2 ** 40);
    expect(readOutcome(at("huge"))).toMatchObject({
      kind: "broken",
      why: expect.stringContaining("1099511627776 bytes"),
    });
  });

  test("UTF-16 from a redirect is understood, and bytes that are no text are refused", () => {
    writeFileSync(at("utf16"), Buffer.from('\ufeff{"result":"done"}', "utf16le"));
    expect(readOutcome(at("utf16"))).toEqual({ kind: "outcome", outcome: { result: "done" } });
    writeFileSync(at("bytes"), Buffer.from([0x7b, 0xff, 0x7d]));
    expect(readOutcome(at("bytes"))).toMatchObject({ kind: "broken", why: expect.stringContaining("UTF-8") });
  });
});

describe("agents are asked for an outcome by a JSON Schema", () => {
  test("that names the fields a model can know, each with a description, and no other", () => {
    const { properties, additionalProperties } = outcomeJsonSchema();
    expect(Object.keys(properties as object)).toEqual([
      "checkpoint",
      "next_wake_at",
      "in",
      "result",
      "result_address",
      "blocker",
      "fail",
    ]);
    for (const rule of Object.values(properties as object)) expect(rule).toHaveProperty("description");
    expect(properties).toMatchObject({
      checkpoint: { type: "object" },
      blocker: { type: "object", additionalProperties: false },
    });
    expect(additionalProperties).toBe(false);
  });

  test("or by a strict one, in which every object names all its fields and requires them", () => {
    const objects: Record<string, unknown>[] = [];
    JSON.stringify(strictOutcomeJsonSchema(), (_key, value) => {
      if (value?.type === "object") objects.push(value);
      return value;
    });
    expect(objects).toHaveLength(2);
    for (const { properties, required, additionalProperties } of objects) {
      expect({ required, additionalProperties }).toEqual({
        required: Object.keys(properties as object),
        additionalProperties: false,
      });
    }
    expect(JSON.stringify(strictOutcomeJsonSchema())).not.toMatch(/"(?:pattern|minLength|maxLength|default)"/);
  });

  test("and an answer by the strict one is read as the same outcome", () => {
    const nothing = { next_wake_at: null, in: null, result: null, result_address: null, fail: null };
    expect(read({ ...nothing, checkpoint: '{"step":2}', blocker: null })).toEqual(read({ checkpoint: { step: 2 } }));
    expect(read({ ...nothing, checkpoint: null, result: "done", blocker: null })).toEqual(read({ result: "done" }));
  });
});
