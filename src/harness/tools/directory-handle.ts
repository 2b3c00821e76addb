import { closeSync, constants, existsSync, fstatSync, lstatSync, openSync } from "node:fs";
import { join } from "node:path";
import { JobError } from "../../errors/job-error.ts";

// Windows knows none of them.
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0);

/** Where Linux shows a process its open files; a path through one of them cannot be led elsewhere. */
const OPEN_FILES = "/proc/self/fd";

const HAS_OPEN_FILES = existsSync(OPEN_FILES);

/**
 * A directory that is held open. What is asked for in it is looked for in that very directory, whatever was put in the place
 * of its path since. Where a system has no /proc that is a look before each use, and a moment between the two is left.
 */
export class DirectoryHandle {
  readonly #descriptor: number;
  readonly #path: string;

  /** Opens a directory, and no link to one. Throws the system's error: ENOTDIR or ELOOP for anything else. */
  constructor(path: string) {
    this.#descriptor = openSync(path, OPEN_FLAGS);
    this.#path = path;
  }

  /** A path that leads to that name in this directory. Of use as long as the handle is open. */
  at(name: string): string {
    // Not by join, which would make `.` into the link of the open file itself.
    if (HAS_OPEN_FILES) return `${OPEN_FILES}/${this.#descriptor}/${name}`;
    const [opened, there] = [fstatSync(this.#descriptor), lstatSync(this.#path, { throwIfNoEntry: false })];
    if (there?.ino !== opened.ino || there.dev !== opened.dev) {
      throw new JobError("IO", `${this.#path} was replaced while it was in use; try again`);
    }
    return join(this.#path, name);
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}
