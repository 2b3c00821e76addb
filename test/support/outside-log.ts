import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * A file outside the fleet that processes only ever append to, a JSON record a line: what they saw, whatever the job files
 * say. Gone when its `using` block ends.
 */
export class OutsideLog<Entry> implements Disposable {
  readonly #directory = mkdtempSync(join(tmpdir(), "harness-wake-log-"));
  readonly path = join(this.#directory, "log");

  constructor() {
    writeFileSync(this.path, "");
  }

  entries(): Entry[] {
    const lines = readFileSync(this.path, "utf8").split("\n").slice(0, -1);
    return lines.map((line): Entry => JSON.parse(line));
  }

  [Symbol.dispose](): void {
    rmSync(this.#directory, { recursive: true });
  }
}
