import fc from "fast-check";
import { expect, test } from "vitest";
import { linesOf } from "../../src/mail/body-lines.ts";

async function linesIn(chunks: Iterable<Buffer>): Promise<readonly string[]> {
  const body = (async function* () {
    yield* chunks;
  })();
  return Array.fromAsync(linesOf(body));
}

test("lines come out as they went in, however the body is cut into chunks", async () => {
  const line = fc.string({ unit: "grapheme", maxLength: 30 }).filter((text) => !text.includes("\n"));
  await fc.assert(
    fc.asyncProperty(fc.array(line), fc.array(fc.nat(20)), async (lines, cuts) => {
      const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(""));
      const chunks: Buffer[] = [];
      let from = 0;
      for (const cut of cuts) {
        chunks.push(bytes.subarray(from, from + cut));
        from += cut;
      }
      chunks.push(bytes.subarray(from));
      expect(await linesIn(chunks)).toEqual(lines);
    }),
  );
});

test("a last line without its end is given too, and an empty rest is not", async () => {
  expect(await linesIn([Buffer.from("a\nb")])).toEqual(["a", "b"]);
  expect(await linesIn([Buffer.from("a\n")])).toEqual(["a"]);
  expect(await linesIn([])).toEqual([]);
});

test("a line of exactly 64 KiB is a line, one byte more is passed over", async () => {
  const line = "x".repeat(64 * 1024);
  expect(await linesIn([Buffer.from(`${line}\n${line}x\nafter\n`)])).toEqual([line, "after"]);
});

test("a line without an end costs no memory", async () => {
  const MEGABYTE = 1024 * 1024;
  let most = 0;
  function* endless(): Generator<Buffer> {
    for (let i = 0; i < 1024; i++) {
      yield Buffer.alloc(MEGABYTE, "x");
      most = Math.max(most, process.memoryUsage().arrayBuffers);
    }
  }
  expect(await linesIn(endless())).toEqual([]);
  expect(most).toBeLessThan(512 * MEGABYTE);
});
