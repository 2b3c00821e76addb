import { readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { LOG_BYTES_MAX, RunLog } from "../../../src/harness/enclosure/run-log.ts";
import { SmallDisk } from "../../support/small-disk.ts";
import { TempDirectory, tempDirectory } from "../../support/temp-directory.ts";

const directory = tempDirectory();
let count = 0;

test("a log that fits is kept whole; of a longer one the beginning, the end, and how much is missing", () => {
  const pieces = fc.array(fc.uint8Array({ minLength: 1, maxLength: 700 }), { maxLength: 12 });
  fc.assert(
    fc.property(pieces, fc.integer({ min: 400, max: 3000 }), (chunks, bytesMax) => {
      const path = join(directory, `${count++}.log`);
      const log = new RunLog(path, bytesMax);
      for (const chunk of chunks) log.write(chunk);
      log.close();
      expect(log.fault).toBeUndefined();
      const [all, kept] = [Buffer.concat(chunks), readFileSync(path)];
      expect(kept.length).toBeLessThanOrEqual(bytesMax);
      const half = Math.floor((bytesMax - 128) / 2);
      if (all.length <= 2 * half) {
        expect(kept.equals(all)).toBe(true);
        return;
      }
      expect(kept.subarray(0, half).equals(all.subarray(0, half))).toBe(true);
      expect(kept.subarray(-half).equals(all.subarray(-half))).toBe(true);
      expect(kept.subarray(half, -half).toString()).toBe(`\n[harness-wake: ${all.length - 2 * half} bytes are left out here]\n`);
    }),
  );
});

test("100 MB leave a file of 10 MiB at most, also before it is closed", () => {
  using own = new TempDirectory();
  const path = join(own.path, "run.log");
  const log = new RunLog(path);
  for (let i = 0; i < 1600; i++) log.write(Buffer.alloc(65_536, "x"));
  expect(statSync(path).size).toBeLessThanOrEqual(LOG_BYTES_MAX);
  log.close();
  expect(statSync(path).size).toBeLessThanOrEqual(LOG_BYTES_MAX);
});

test("a log is nobody else's to read, and never written through a link", () => {
  const path = join(directory, "mine.log");
  new RunLog(path).close();
  expect(statSync(path).mode & 0o777).toBe(0o600);
  symlinkSync("/dev/null", join(directory, "planted.log"));
  expect(() => new RunLog(join(directory, "planted.log"))).toThrow(/planted\.log/);
});

test.skipIf(!SmallDisk.isPossible)("a full disk is noted and ends nothing", () => {
  using disk = new SmallDisk(8);
  const log = new RunLog(join(disk.path, "run.log"));
  for (let i = 0; i < 20; i++) log.write(Buffer.alloc(4096, "x"));
  log.close();
  expect(log.fault).toMatchObject({ code: "IO", message: expect.stringContaining("ENOSPC") });
});
