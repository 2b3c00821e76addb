import { appendFileSync, existsSync, readFileSync } from "node:fs";

/**
 * A file that processes only ever append to, one JSON value per line and one write per value: what they saw, whatever the
 * job files say.
 */
export class LineLog<Entry> {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  append(entry: Entry): void {
    appendFileSync(this.path, `${JSON.stringify(entry)}\n`);
  }

  /** What was appended until now, in order. A file that is not there yet holds nothing. */
  entries(): Entry[] {
    const lines = existsSync(this.path) ? readFileSync(this.path, "utf8").split("\n").slice(0, -1) : [];
    return lines.map((line): Entry => JSON.parse(line));
  }
}
