/** Text of any length, of which the beginning and the end are kept: what a remote's hook says first, and how git ends. */
export class CappedText {
  readonly #halfBytes: number;
  #head = Buffer.alloc(0);
  #tail = Buffer.alloc(0);
  #dropped = 0;

  constructor(bytesMax: number) {
    this.#halfBytes = bytesMax / 2;
  }

  add(chunk: Buffer): void {
    const room = this.#halfBytes - this.#head.length;
    if (room > 0) this.#head = Buffer.concat([this.#head, chunk.subarray(0, room)]);
    const rest = Buffer.concat([this.#tail, chunk.subarray(Math.max(room, 0))]);
    this.#tail = rest.subarray(Math.max(rest.length - this.#halfBytes, 0));
    this.#dropped += rest.length - this.#tail.length;
  }

  toString(): string {
    const gap = this.#dropped === 0 ? "" : `\n… ${this.#dropped} bytes left out …\n`;
    return `${this.#head}${gap}${this.#tail}`;
  }
}
