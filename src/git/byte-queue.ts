const LINE_FEED = 0x0a;

/** Bytes as they arrive, taken out by line or by count without copying what waits behind. */
export class ByteQueue {
  #chunks: Buffer[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
  }

  /** The bytes up to the first line feed, which is taken out too; undefined where there is none yet. */
  takeLine(): Buffer | undefined {
    let before = 0;
    for (const chunk of this.#chunks) {
      const at = chunk.indexOf(LINE_FEED);
      if (at !== -1) {
        const line = this.take(before + at);
        this.take(1);
        return line;
      }
      before += chunk.length;
    }
    return undefined;
  }

  /** Takes out at most so many bytes. */
  take(count: number): Buffer {
    const taken: Buffer[] = [];
    let missing = count;
    while (missing > 0) {
      const chunk = this.#chunks[0];
      if (chunk === undefined) break;
      if (chunk.length > missing) this.#chunks[0] = chunk.subarray(missing);
      else this.#chunks.shift();
      taken.push(chunk.subarray(0, missing));
      missing -= Math.min(chunk.length, missing);
    }
    const bytes = taken.length === 1 && taken[0] !== undefined ? taken[0] : Buffer.concat(taken);
    this.#length -= bytes.length;
    return bytes;
  }
}
