import { expect, test } from "vitest";
import { CappedOutput, OUTPUT_BYTES_MAX } from "../../../src/harness/tools/capped-output.ts";

/** What is kept of these pieces. */
function keptOf(pieces: readonly string[]): string {
  const output = new CappedOutput();
  for (const piece of pieces) output.add(Buffer.from(piece));
  return output.toString();
}

test("what fits is kept whole, also a character that came in two pieces", () => {
  expect(keptOf(["a", "b\n", ""])).toBe("ab\n");
  const output = new CappedOutput();
  for (const byte of Buffer.from("ü".repeat(20_000))) output.add(Buffer.from([byte]));
  expect(output.toString()).toBe("ü".repeat(20_000));
  expect(keptOf(["x".repeat(OUTPUT_BYTES_MAX)])).toBe("x".repeat(OUTPUT_BYTES_MAX));
});

test.each([1, 7, 1_000, 100_000])("of more, the first and the last half are kept, in pieces of %i", (size) => {
  const whole = Array.from({ length: 30_000 }, (_, index) => `line ${index}\n`).join("");
  const pieces = whole.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
  const half = OUTPUT_BYTES_MAX / 2;
  const left = whole.length - OUTPUT_BYTES_MAX;
  expect(keptOf(pieces)).toBe(`${whole.slice(0, half)}\n[${left} bytes are left out here]\n${whole.slice(-half)}`);
});
