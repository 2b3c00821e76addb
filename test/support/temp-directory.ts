import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A new empty directory outside this repository, gone with the whole run's (temp-root.ts). */
export function tempDirectory(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), "harness-wake-")));
}

/** The same, gone when its `using` block ends. */
export class TempDirectory implements Disposable {
  readonly path = tempDirectory();

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
