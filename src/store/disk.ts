import {
  closeSync,
  type Dirent,
  fchmodSync,
  fsync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { promisify } from "node:util";

/**
 * The few file system calls that the store makes, so that tests can break each of them. Reads are synchronous, which is
 * several times faster for small files; fsyncs are not, so that many can be under way at once.
 */
export interface Disk {
  list(directory: string): Dirent[];
  /** Permission bits and kind, links not followed; undefined where there is nothing. */
  stat(path: string): { readonly mode: number; readonly isFile: boolean } | undefined;
  readText(path: string): string;
  readBytes(path: string): Uint8Array;
  /** Creates a file that is not there yet, writes the whole text and gives its descriptor. */
  create(path: string, text: string, mode: number): number;
  flush(descriptor: number): Promise<void>;
  close(descriptor: number): void;
  rename(from: string, to: string): void;
  remove(path: string): void;
  /** Makes the renames in a directory survive a power cut. */
  flushDirectory(directory: string): void;
}

const PERMISSION_BITS = 0o7777;

export const nodeDisk: Disk = {
  list: (directory) => readdirSync(directory, { withFileTypes: true }),
  stat: (path) => {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    return stats && { mode: stats.mode & PERMISSION_BITS, isFile: stats.isFile() };
  },
  readText: (path) => readFileSync(path, "utf8"),
  readBytes: (path) => readFileSync(path),
  create: (path, text, mode) => {
    const descriptor = openSync(path, "wx", mode);
    try {
      writeFileSync(descriptor, text);
      fchmodSync(descriptor, mode);
    } catch (cause) {
      closeSync(descriptor);
      throw cause;
    }
    return descriptor;
  },
  flush: promisify(fsync),
  close: closeSync,
  rename: renameSync,
  remove: unlinkSync,
  flushDirectory: (directory) => {
    const descriptor = openSync(directory, "r");
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  },
};
