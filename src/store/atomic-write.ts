import { errnoOf } from "../errors/io-error.ts";
import { randomToken } from "../facts/ids.ts";
import type { Access, Disk } from "./disk.ts";

const TEMP_NAME = /^tmp-[0-9a-f]{24}$/;

export function isTempName(name: string): boolean {
  return TEMP_NAME.test(name);
}

/** A name that nothing bears. */
export function newTempName(): string {
  return `tmp-${randomToken()}`;
}

export interface Replacement {
  readonly path: string;
  /** A path on the same file system where nothing is. */
  readonly temp: string;
  readonly text: string;
  /** Of the file that is replaced; undefined for a new one. */
  readonly access: Access | undefined;
}

/**
 * Replaces a file by temp file, fsync and rename: a reader sees the old text or the new one, also after kill -9. `isCurrent`
 * is asked at the last moment; where it says no, nothing happens and the answer is false. The caller flushes the directory,
 * once for many files.
 */
export async function replaceFile(disk: Disk, replacement: Replacement, isCurrent: () => boolean): Promise<boolean> {
  const { path, temp, text, access } = replacement;
  let isRenamed = false;
  try {
    const descriptor = disk.create(temp, text, access);
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

/** A temp file that is gone was removed by the next holder of the lock: the write is theirs now. */
function renameIfThere(disk: Disk, from: string, to: string): boolean {
  try {
    disk.rename(from, to);
    return true;
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return false;
    throw error;
  }
}

/** What cannot be removed now is removed by the next holder of the lock, so only a bug is passed on. */
export function removeIfThere(disk: Disk, path: string): void {
  try {
    disk.remove(path);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
  }
}
