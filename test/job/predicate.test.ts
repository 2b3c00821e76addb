import { describe, expect, test } from "vitest";
import type { CompletionPredicate } from "../../src/job/job.ts";
import { checkpointEquals, restOfPredicateHolds } from "../../src/job/predicate.ts";
import type { Json, JsonObject } from "../../src/json/json.ts";
import { parseLossless } from "../../src/json/lossless-json.ts";
import { isSameJson } from "../../src/json/same-json.ts";
import { jobOf } from "../support/job-builder.ts";

function json(text: string): Json {
  return (parseLossless(`[${text}]`) as readonly Json[])[0] ?? null;
}

function equals(value: string, path?: string): CompletionPredicate {
  return { type: "checkpoint_equals", value: json(value), ...(path !== undefined && { path }) };
}

describe("checkpoint_equals", () => {
  test.each([
    ["its path is step where none is given", equals("3"), '{"step":3}'],
    ["numbers compare by value", equals("3"), '{"step":3.0}'],
    ["a dotted path goes inward", equals('"done"', "build.phase"), '{"build":{"phase":"done"}}'],
    ["null equals null", equals("null"), '{"step":null}'],
    ["objects compare by content, keys in any order", equals('{"a":1,"b":[1,2.0]}'), '{"step":{"b":[1.0,2],"a":1}}'],
    ["own keys count, whatever their names", equals("1", "__proto__.x"), '{"__proto__":{"x":1}}'],
    ["own keys count, whatever their names", equals("1", "constructor"), '{"constructor":1}'],
  ])("%s", (_rule, predicate, checkpoint) => {
    expect(checkpointEquals(predicate, json(checkpoint) as JsonObject)).toBe(true);
  });

  test.each([
    ["what is absent equals nothing, not even null", equals("null"), "{}"],
    ["what is absent equals nothing, below a scalar either", equals("null", "a.b"), '{"a":1}'],
    ["text is no number", equals("3"), '{"step":"3"}'],
    ["true is not 1", equals("true"), '{"step":1}'],
    ["false is not null", equals("false"), '{"step":null}'],
    ["a part of an object is not the object", equals('{"a":1}'), '{"step":{"a":1,"b":2}}'],
    ["an object is not its part", equals('{"a":1,"b":2}'), '{"step":{"a":1}}'],
    ["one key for another does not do", equals('{"a":null}'), '{"step":{"b":null}}'],
    ["arrays compare in order", equals("[1,2]"), '{"step":[2,1]}'],
    ["an array is no object", equals("[]"), '{"step":{}}'],
    ["an object is no array", equals("{}"), '{"step":[]}'],
    ["a raw number is no object", equals("{}"), '{"step":1.0}'],
    ["a path does not enter arrays", equals("1", "a.0"), '{"a":[1]}'],
    ["inherited keys are not there", equals('"Object"', "constructor.name"), "{}"],
    ["inherited keys are not there, though they hold an empty object", equals("{}", "__proto__"), "{}"],
    ["the length of text is not there", equals("3", "step.length"), '{"step":"abc"}'],
    ["big integers differ by their last digit", equals("1234567890123456789"), '{"step":1234567890123456788}'],
    ["an inherited key of a value does not count", equals('{"toString":null}'), '{"step":{"x":null}}'],
  ])("%s", (_rule, predicate, checkpoint) => {
    expect(checkpointEquals(predicate, json(checkpoint) as JsonObject)).toBe(false);
  });
});

test("status_done is met only by an explicit completion, never by a tick", () => {
  expect(restOfPredicateHolds(jobOf({ completion_predicate: { type: "status_done" } }))).toBe(false);
  expect(checkpointEquals({ type: "status_done" }, { step: 1 })).toBe(false);
});

test("result_address_on_head asks for nothing but the page", () => {
  expect(restOfPredicateHolds(jobOf({ completion_predicate: { type: "result_address_on_head" } }))).toBe(true);
});

test("a checkpoint handed in is looked at instead of the job's own", () => {
  const job = jobOf({ completion_predicate: { type: "checkpoint_equals", value: 5 } });
  expect(restOfPredicateHolds(job)).toBe(false);
  expect(restOfPredicateHolds(job, { step: 5 })).toBe(true);
});

test("two JSON values are the same in both directions or in none", () => {
  const values = ["null", "true", "false", "0", "-0.0", "1", "1.0", '"1"', "[]", "[1]", "{}", '{"a":1}', '{"a":1.0}'].map(json);
  for (const a of values) for (const b of values) expect(isSameJson(a, b)).toBe(isSameJson(b, a));
});
