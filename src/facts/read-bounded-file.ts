import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

/** What a path holds, as far as it may be looked at. A path that holds nothing is the system's error ENOENT. */
export type FileContent =
  | { readonly kind: "content"; readonly bytes: Buffer }
  /** `size` in bytes, as the file had it. Nothing of it was kept. */
  | { readonly kind: "too_large"; readonly size: number }
  | NotRegular;

/** A link, a directory, a pipe, a socket or a device. It was neither followed nor waited for. */
export interface NotRegular {
  readonly kind: "not_regular";
}

// Windows knows neither flag, and makes no pipes among files.
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** What open says of a link and of a socket, and what reading at a place says of a directory and of a pipe. */
const NOT_REGULAR = ["ELOOP", "EMLINK", "ENXIO", "EISDIR", "ESPIPE"];

/**
 * Reads a regular file of at most `bytesMax` bytes, whatever stands at the path: nothing larger is read, links are not
 * followed, pipes and devices are not waited for. Throws the system's error where that fails.
 */
export function readBoundedFile(path: string, bytesMax: number): FileContent {
  return readOpened(path, (descriptor) => readBySize(descriptor, bytesMax));
}

/** Opens whatever stands at a path, unless that alone shows that it is no regular file, and reads it. */
export function readOpened<Content>(path: string, read: (descriptor: number) => Content): Content | NotRegular {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, OPEN_FLAGS);
    return read(descriptor);
  } catch (error) {
    if (error instanceof Error && "code" in error && NOT_REGULAR.includes(String(error.code))) return { kind: "not_regular" };
    throw error;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** Reads a file that is open, from its beginning, after a look at what it is and how large. */
export function readBySize(descriptor: number, bytesMax: number): FileContent {
  const stats = fstatSync(descriptor);
  if (!stats.isFile()) return { kind: "not_regular" };
  if (stats.size > bytesMax) return { kind: "too_large", size: stats.size };
  // A byte more than it has, to see whether it grows.
  let bytes = Buffer.allocUnsafe(stats.size + 1);
  for (let length = 0; ; ) {
    const more = readSync(descriptor, bytes, length, bytes.length - length, length);
    if (more === 0) return { kind: "content", bytes: bytes.subarray(0, length) };
    length += more;
    if (length > bytesMax) return { kind: "too_large", size: length };
    if (length === bytes.length) bytes = Buffer.concat([bytes], bytesMax + 1);
  }
}
