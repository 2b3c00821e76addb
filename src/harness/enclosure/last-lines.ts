import { withoutSecrets } from "./without-secrets.ts";

/** What is kept of a stream: far more than is told, so that a secret which is cut in two is not told by its half. */
const KEPT_BYTES = 32 * 1024;
const LINES_MAX = 20;
const CHARACTERS_MAX = 2_000;

/** The end of a stream, for the sentence that says why a run failed. */
export class LastLines {
  #kept = Buffer.alloc(0);
  #isCut = false;

  /** Takes the next piece. */
  add(chunk: Buffer): void {
    const all = Buffer.concat([this.#kept, chunk.subarray(-KEPT_BYTES)]);
    this.#isCut ||= all.length > KEPT_BYTES || chunk.length > KEPT_BYTES;
    this.#kept = all.subarray(-KEPT_BYTES);
  }

  /** The last lines, at most 20 and 2,000 characters, without control characters and without secrets. */
  text(knownSecrets: readonly string[]): string {
    const whole = this.#isCut ? this.#kept.toString().replace(/^\S*\s?/, "") : this.#kept.toString();
    const lines = withoutSecrets(printable(whole), knownSecrets)
      .split("\n")
      .map((line) => line.trimEnd())
      .filter((line) => line !== "");
    const last = lines.slice(-LINES_MAX).join("\n");
    return last.length <= CHARACTERS_MAX ? last : `…${last.slice(1 - CHARACTERS_MAX)}`;
  }
}

/** Without colours and other commands to a terminal. A line that was written over counts as its last writing. */
function printable(text: string): string {
  return (
    text
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
      .replace(/\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g, "")
      .replace(/[^\n]*\r(?!\n)/g, "")
      .replace(/[^\P{C}\n\t]/gu, "")
  );
}
