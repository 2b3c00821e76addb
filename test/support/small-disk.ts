import { execFileSync } from "node:child_process";
import { appendFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { tempDirectory } from "./temp-directory.ts";

const PAGE = 4_096;

/** A file system of a few pages in memory, mounted while its `using` block runs. Needs the rights to mount. */
export class SmallDisk implements Disposable {
  readonly path = tempDirectory();
  readonly #ballast = join(this.path, "ballast");

  constructor(pages: number) {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${pages * PAGE}`, "tmpfs", this.path], { stdio: "pipe" });
  }

  /** Whether this process may mount at all. */
  static get isPossible(): boolean {
    try {
      new SmallDisk(4)[Symbol.dispose]();
      return true;
    } catch {
      return false;
    }
  }

  /** Fills it to the last page, then gives so many pages back. */
  fillUpTo(pagesLeft: number): void {
    let pages = 0;
    try {
      for (;;) {
        appendFileSync(this.#ballast, Buffer.alloc(PAGE));
        pages += 1;
      }
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
    }
    execFileSync("truncate", ["-s", String((pages - pagesLeft) * PAGE), this.#ballast]);
  }

  empty(): void {
    rmSync(this.#ballast, { force: true });
  }

  [Symbol.dispose](): void {
    try {
      execFileSync("umount", [this.path], { stdio: "pipe" });
    } finally {
      rmSync(this.path, { recursive: true, force: true });
    }
  }
}
