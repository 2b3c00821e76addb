import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, constants, mkdirSync, openSync, symlinkSync, truncateSync, writeFileSync, writeSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type FileContent, readBoundedFile } from "../../src/facts/read-bounded-file.ts";
import { readListedText } from "../../src/store/read-listed-text.ts";
import { TempDirectory } from "../support/temp-directory.ts";

const LIMIT = 256 * 1024;

/** The store's own reader keeps the same rules, and decodes what is short in passing. */
function readListed(path: string, bytesMax: number): FileContent {
  const found = readListedText(path, bytesMax);
  return found.kind === "decoded" ? { kind: "content", bytes: Buffer.from(found.text ?? expect.fail("no text")) } : found;
}

describe.each([
  ["readBoundedFile", readBoundedFile],
  ["readListedText", readListed],
])("%s", (_, read) => {
  it.each([0, 1, 4_096, 65_535, 65_536, 65_537, LIMIT - 1, LIMIT])("gives all %i bytes of a file", (size) => {
    using directory = new TempDirectory();
    const path = join(directory.path, "file");
    const bytes = Buffer.from(Array.from({ length: size }, (_, i) => 32 + (i % 95)));
    writeFileSync(path, bytes);
    const found = read(path, LIMIT);
    expect(found.kind === "content" && found.bytes.equals(bytes)).toBe(true);
  });

  it.each([LIMIT + 1, 2 ** 32, 2 ** 40])("reads nothing of a file of %i bytes", (size) => {
    using directory = new TempDirectory();
    const path = join(directory.path, "file");
    writeFileSync(path, "{");
    truncateSync(path, size);
    expect(read(path, LIMIT)).toEqual({ kind: "too_large", size });
  });

  it("holds a small limit too", () => {
    using directory = new TempDirectory();
    const path = join(directory.path, "file");
    writeFileSync(path, "12345");
    expect(read(path, 4)).toEqual({ kind: "too_large", size: 5 });
    expect(read(path, 5)).toMatchObject({ kind: "content" });
  });

  it("gives what a file of the system holds that claims to be empty", () => {
    expect(read("/proc/self/status", LIMIT)).toMatchObject({ kind: "content", bytes: expect.any(Buffer) });
  });

  it.each<[string, (path: string, beside: string) => unknown]>([
    ["a link to a file", (path, beside) => symlinkSync(beside, path)],
    ["a link to nothing", (path) => symlinkSync("nowhere", path)],
    ["a link to itself", (path) => symlinkSync("it", path)],
    ["a link to a device that never ends", (path) => symlinkSync("/dev/zero", path)],
    ["a directory", (path) => mkdirSync(path)],
    ["a pipe that nobody writes to", (path) => execFileSync("mkfifo", [path])],
  ])("neither follows nor waits for %s", (_, make) => {
    using directory = new TempDirectory();
    const [path, beside] = [join(directory.path, "it"), join(directory.path, "beside")];
    writeFileSync(beside, "{}");
    make(path, beside);
    expect(read(path, LIMIT)).toEqual({ kind: "not_regular" });
  });

  it("takes nothing out of a pipe that somebody writes to", () => {
    using directory = new TempDirectory();
    const path = join(directory.path, "pipe");
    execFileSync("mkfifo", [path]);
    const pipe = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
    try {
      writeSync(pipe, "{}");
      expect(read(path, LIMIT)).toEqual({ kind: "not_regular" });
    } finally {
      closeSync(pipe);
    }
  });

  it("refuses a socket", async () => {
    using directory = new TempDirectory();
    const path = join(directory.path, "socket");
    const server = createServer().listen(path);
    await once(server, "listening");
    expect(read(path, LIMIT)).toEqual({ kind: "not_regular" });
    server.close();
  });

  it.each(["/dev/null", "/dev/zero", "/dev/full"])("refuses the device %s", (path) => {
    expect(read(path, LIMIT)).toEqual({ kind: "not_regular" });
  });

  it("throws the system's error where there is nothing", () => {
    expect(() => read("/nowhere/at/all", LIMIT)).toThrow(expect.objectContaining({ code: "ENOENT" }));
  });
});
