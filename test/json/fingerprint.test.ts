import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { sha256Of, shortFingerprint } from "../../src/json/fingerprint.ts";
import type { Json } from "../../src/json/json.ts";
import { formatCanonical, parseLossless } from "../../src/json/lossless-json.ts";

interface Vector {
  readonly value: Json;
  readonly canonical: string;
  readonly sha256: string;
}

const vectors = parseLossless(readFileSync(new URL("../fixtures/fingerprints.json", import.meta.url), "utf8")) as unknown;

describe("the fingerprint of a value is sha256 over its canonical JSON", () => {
  test.each(vectors as readonly Vector[])("$canonical", ({ value, canonical, sha256 }) => {
    expect(formatCanonical(value)).toBe(canonical);
    expect(sha256Of(value)).toBe(sha256);
    expect(shortFingerprint(sha256Of(value))).toBe(sha256.slice(0, 16));
  });

  test("and 1 and 1.0 have different ones, since numbers are taken as they stood in the file", () => {
    expect(sha256Of(parseLossless('{"f":1.0}'))).not.toBe(sha256Of(parseLossless('{"f":1}')));
  });
});
