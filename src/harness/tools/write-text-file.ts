import { closeSync, fchmodSync, lstatSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { errnoOf } from "../../errors/io-error.ts";
import { JobError } from "../../errors/job-error.ts";
import { randomToken } from "../../facts/ids.ts";
import type { Located } from "./locate.ts";
import { FILE_BYTES_MAX } from "./read-text-file.ts";

/** Read, write and execute, for all: a file that is run stays one. Not the bits that lend somebody's rights. */
const MODE_BITS = 0o777;

/**
 * Writes a file whole, in place of what is there. It is made beside and renamed, so that a link which appears in its place
 * meanwhile is replaced, and so is a second name of a file outside. Throws JobError.
 */
export function writeTextFile({ directory, name, path }: Located, content: string): void {
  const bytes = Buffer.byteLength(content);
  if (bytes > FILE_BYTES_MAX) {
    throw new JobError("TOO_LARGE", `${path}: the content is ${bytes} bytes; at most ${FILE_BYTES_MAX} are written`);
  }
  const fresh = directory.at(`.harness-wake-${randomToken()}`);
  try {
    const there = lstatSync(directory.at(name), { throwIfNoEntry: false });
    if (there !== undefined && !there.isFile()) throw new JobError("IO", `${path} is there and is no regular file`);
    const descriptor = openSync(fresh, "wx");
    try {
      if (there !== undefined) fchmodSync(descriptor, there.mode & MODE_BITS);
      writeFileSync(descriptor, content);
    } finally {
      closeSync(descriptor);
    }
    renameSync(fresh, directory.at(name));
  } catch (error) {
    rmSync(fresh, { force: true });
    if (errnoOf(error) === undefined) throw error;
    throw new JobError("IO", `${path} cannot be written (${errnoOf(error)})`);
  }
}
