/** What a model is told of one call, in bytes: more would crowd out what it is working on. */
export const OUTPUT_BYTES_MAX = 64 * 1024;

const HALF_BYTES = OUTPUT_BYTES_MAX / 2;

/** Keeps the first and the last of what a command writes, since how it began and how it ended are what is looked for. */
export class CappedOutput {
  readonly #head = Buffer.alloc(HALF_BYTES);
  /** Twice the half: full, its last half goes to its beginning, so that small pieces are not moved with each other. */
  readonly #tail = Buffer.alloc(2 * HALF_BYTES);
  #headBytes = 0;
  #tailBytes = 0;
  #bytes = 0;

  add(chunk: Buffer): void {
    this.#bytes += chunk.length;
    const copied = chunk.copy(this.#head, this.#headBytes);
    this.#headBytes += copied;
    const rest = chunk.subarray(copied).subarray(-HALF_BYTES);
    if (this.#tailBytes + rest.length > this.#tail.length) {
      this.#tail.copyWithin(0, this.#tailBytes - HALF_BYTES, this.#tailBytes);
      this.#tailBytes = HALF_BYTES;
    }
    this.#tailBytes += rest.copy(this.#tail, this.#tailBytes);
  }

  /** How much was written, kept or not. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Bytes that are no UTF-8 are shown as U+FFFD. */
  toString(): string {
    const head = this.#head.subarray(0, this.#headBytes);
    const tail = this.#tail.subarray(Math.max(0, this.#tailBytes - HALF_BYTES), this.#tailBytes);
    const left = this.#bytes - head.length - tail.length;
    return left > 0 ? `${head}\n[${left} bytes are left out here]\n${tail}` : Buffer.concat([head, tail]).toString();
  }
}
