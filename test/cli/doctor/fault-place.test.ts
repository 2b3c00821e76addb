import { expect, test } from "vitest";
import { placeOfFault } from "../../../src/cli/doctor/fault-place.ts";

const TEXT =
  '{\n  "checkpoint": { "lease": { "until": "\\"{" }, "max": [{ "until": 1 }] },\n  "lease": {\n    "until": "soon"\n  }\n}\n';

function placeOfField(field: string) {
  return placeOfFault(TEXT, { message: "", field });
}

test("a field is found by its path, not by a namesake in the checkpoint", () => {
  expect(placeOfField("lease.until")).toEqual({ line: 4, column: 5 });
  expect(placeOfField("lease")).toEqual({ line: 3, column: 3 });
  expect(placeOfField("checkpoint.lease.until")).toEqual({ line: 2, column: 30 });
});

test("a field that is missing has no place", () => {
  expect(placeOfField("owner_claim")).toBeUndefined();
});

test("a text that ends too early is at fault at its end", () => {
  expect(placeOfFault("{\n  ", { message: "x.json: is not JSON: Unexpected end of JSON input", field: undefined })).toEqual({
    line: 2,
    column: 3,
  });
});

test("what the parser has told with its line is not told twice", () => {
  const message = 'is not JSON: Expected "," at position 7 (line 2 column 3)';
  expect(placeOfFault("{\n  1", { message, field: undefined })).toBeUndefined();
});
