import { readSync } from "node:fs";
import { type FileContent, readBySize, readOpened } from "../facts/read-bounded-file.ts";
import { decodeText } from "../json/decode-text.ts";

/** What a file holds, decoded already; undefined where it is no text. */
export interface Decoded {
  readonly kind: "decoded";
  readonly text: string | undefined;
}

/** Nearly all job files fit, so their size need not be asked for, which would cost as much as reading them. */
const room = Buffer.allocUnsafeSlow(64 * 1024);

/**
 * Reads a file of at most `bytesMax` bytes that a listing has shown to be no device. A link or a pipe that took its place
 * since is neither followed nor waited for. Throws the system's error.
 */
export function readListedText(path: string, bytesMax: number): Decoded | FileContent {
  return readOpened(path, (descriptor) => {
    // Reading at a place, not onwards, is what pipes refuse.
    const length = readSync(descriptor, room, 0, room.length, 0);
    const isWhole = length > 0 && length < room.length && length <= bytesMax;
    return isWhole ? { kind: "decoded", text: decodeText(room, length) } : readBySize(descriptor, bytesMax);
  });
}
