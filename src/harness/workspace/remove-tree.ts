import { chmodSync, lstatSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { errnoOf } from "../../errors/io-error.ts";

const DIRECTORY_MODE = 0o700;

/**
 * Removes a directory and all below it, never through a link. Directories without write permission, as package caches make
 * them, are given it. Undefined when it is gone, else the system's name for why it is not.
 */
export function removeTree(directory: string): string | undefined {
  const errno = tryRemove(directory);
  if (errno === undefined) return undefined;
  makeWritable(directory);
  return tryRemove(directory);
}

function tryRemove(directory: string): string | undefined {
  try {
    rmSync(directory, { recursive: true, force: true });
    return undefined;
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === undefined) throw error;
    return errno;
  }
}

function makeWritable(directory: string): void {
  try {
    if (!lstatSync(directory).isDirectory()) return;
    chmodSync(directory, DIRECTORY_MODE);
    for (const entry of readdirSync(directory, { withFileTypes: true })) {
      if (entry.isDirectory()) makeWritable(join(directory, entry.name));
    }
  } catch (error) {
    // What cannot be opened either is what the second try will name.
    if (errnoOf(error) === undefined) throw error;
  }
}
