import { errnoOf } from "../../errors/io-error.ts";
import { JobError } from "../../errors/job-error.ts";
import { readBoundedFile } from "../../facts/read-bounded-file.ts";
import type { Located } from "./locate.ts";

/** The largest file that tools read or write: far past any source file, and small enough to be held in memory. */
export const FILE_BYTES_MAX = 4 * 1024 * 1024;

/** The text of a file; undefined where nothing is there. Throws JobError IO for anything that is no UTF-8 text. */
export function readTextFile({ directory, name, path }: Located): string | undefined {
  const refused = (why: string): JobError => new JobError("IO", `${path} ${why}`);
  try {
    const content = readBoundedFile(directory.at(name), FILE_BYTES_MAX);
    if (content.kind === "not_regular") throw refused("is a directory, a link or a device: not a file that can be read");
    if (content.kind === "too_large") throw refused(`is ${content.size} bytes; at most ${FILE_BYTES_MAX} are read`);
    const text = content.bytes.toString();
    // What is no UTF-8 would come back as something else.
    if (content.bytes.includes(0) || !Buffer.from(text).equals(content.bytes)) throw refused("is not UTF-8 text");
    return text;
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return undefined;
    if (errnoOf(error) === undefined) throw error;
    throw refused(`cannot be read (${errnoOf(error)})`);
  }
}

/** The same, where the file has to be there. */
export function requireTextFile(place: Located): string {
  const text = readTextFile(place);
  if (text === undefined) throw new JobError("IO", `${place.path} is not there`);
  return text;
}
