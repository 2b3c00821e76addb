import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeText } from "../../src/json/decode-text.ts";

const text = fc.string({ unit: "binary" });

describe("decodeText", () => {
  it("gives every text that was written as UTF-8, U+FFFD included", () => {
    fc.assert(
      fc.property(text, (written) => {
        expect(decodeText(Buffer.from(written, "utf8"))).toBe(written);
      }),
    );
    expect(decodeText(Buffer.from("\uFFFD"))).toBe("\uFFFD");
  });

  it("gives every text that was written as UTF-16 with a byte order mark", () => {
    fc.assert(
      fc.property(text, (written) => {
        const bytes = Buffer.from(`\uFEFF${written}`, "utf16le");
        expect(decodeText(bytes)).toBe(written);
        expect(decodeText(Buffer.from(bytes).swap16())).toBe(written);
      }),
    );
  });

  it.each<[string, readonly number[]]>([
    ["Latin-1", [0x63, 0x61, 0x66, 0xe9]],
    ["a character cut short", [0xe2, 0x82]],
    ["an overlong form", [0xc0, 0xaf]],
    ["a surrogate in UTF-8", [0xed, 0xa0, 0x80]],
    ["half a unit of UTF-16", [0xff, 0xfe, 0x7b]],
    ["half a surrogate pair of UTF-16", [0xff, 0xfe, 0x00, 0xd8]],
    ["the same, the other way round", [0xfe, 0xff, 0xd8, 0x00]],
  ])("is undefined for %s", (_, bytes) => {
    expect(decodeText(Buffer.from(bytes))).toBeUndefined();
  });

  it("leaves UTF-8's byte order mark to whoever parses", () => {
    expect(decodeText(Buffer.from("\uFEFF{}"))).toBe("\uFEFF{}");
  });
});
