import { sep } from "node:path";
import { errnoOf } from "../errors/io-error.ts";
import { randomToken } from "../facts/ids.ts";
import type { Disk } from "./disk.ts";

const NEW_FILE_MODE = 0o644;

const TEMP_NAME = /^\.harness-wake-[0-9a-f]{24}\.tmp$/;

export function isTempName(name: string): boolean {
  return name.startsWith(".") && TEMP_NAME.test(name);
}

/**
 * Replaces a file by temp file, fsync and rename in its own directory: a reader sees the old text or the new one, also
 * after kill -9. `isCurrent` is asked at the last moment; where it says no, nothing happens and the answer is false. The
 * caller flushes the directory, once for many files.
 */
export async function replaceFile(
  disk: Disk,
  directory: string,
  name: string,
  text: string,
  mode: number | undefined,
  isCurrent: () => boolean,
): Promise<boolean> {
  const temp = `${directory}${sep}.harness-wake-${randomToken()}.tmp`;
  const path = directory + sep + name;
  let isRenamed = false;
  try {
    const descriptor = disk.create(temp, text, mode ?? NEW_FILE_MODE);
    try {
      await disk.flush(descriptor);
    } finally {
      disk.close(descriptor);
    }
    if (!isCurrent()) return false;
    isRenamed = renameIfThere(disk, temp, path);
    return isRenamed;
  } finally {
    if (!isRenamed) removeIfThere(disk, temp);
  }
}

/** A temp file that is gone was swept by whoever took the lock over: the write is theirs now. */
function renameIfThere(disk: Disk, from: string, to: string): boolean {
  try {
    disk.rename(from, to);
    return true;
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return false;
    throw error;
  }
}

/** What cannot be removed now is found by the next sweep, so only a bug is passed on. */
export function removeIfThere(disk: Disk, path: string): void {
  try {
    disk.remove(path);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
  }
}
