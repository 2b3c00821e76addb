import { closeSync, ftruncateSync, openSync, readSync, writeSync } from "node:fs";
import { ioError } from "../../errors/io-error.ts";
import type { JobError } from "../../errors/job-error.ts";

/** A run's log (contract §11). How a run began and how it ended are what people look for. */
export const LOG_BYTES_MAX = 10 * 1024 * 1024;

/** Room for the line that says how much is missing. */
const NOTE_BYTES_MAX = 128;

/**
 * One file for all that a run writes: its first half is kept, and of the rest the last. The second half of the file is
 * written round and round, so that memory stays small and a worker that is killed leaves a log; `close` puts it in order.
 */
export class RunLog {
  /** Why the log is not whole: a full disk ends no run. Undefined where it is. */
  fault: JobError | undefined;
  readonly #path: string;
  readonly #descriptor: number;
  readonly #headBytes: number;
  readonly #ringBytes: number;
  #written = 0;

  /** Makes the file; it must not be there yet. Throws JobError IO. */
  constructor(path: string, bytesMax = LOG_BYTES_MAX) {
    this.#path = path;
    this.#headBytes = Math.floor((bytesMax - NOTE_BYTES_MAX) / 2);
    this.#ringBytes = this.#headBytes;
    try {
      this.#descriptor = openSync(path, "wx+", 0o600);
    } catch (cause) {
      throw ioError(path, cause);
    }
  }

  write(chunk: Uint8Array): void {
    const head = chunk.subarray(0, Math.max(0, this.#headBytes - this.#written));
    this.#put(head, this.#written);
    this.#written += head.length;
    for (let rest = chunk.subarray(head.length); rest.length > 0; ) {
      const at = (this.#written - this.#headBytes) % this.#ringBytes;
      const piece = rest.subarray(0, this.#ringBytes - at);
      this.#put(piece, this.#headBytes + at);
      this.#written += piece.length;
      rest = rest.subarray(piece.length);
    }
  }

  /** Puts the second half in order and closes the file. */
  close(): void {
    const left = this.#written - this.#headBytes - this.#ringBytes;
    if (left > 0) this.#unroll(left);
    closeSync(this.#descriptor);
  }

  #unroll(leftOutBytes: number): void {
    const ring = Buffer.alloc(this.#ringBytes);
    const oldest = (this.#written - this.#headBytes) % this.#ringBytes;
    const note = Buffer.from(`\n[harness-wake: ${leftOutBytes} bytes are left out here]\n`);
    try {
      readSync(this.#descriptor, ring, 0, ring.length, this.#headBytes);
      const inOrder = Buffer.concat([note, ring.subarray(oldest), ring.subarray(0, oldest)]);
      this.#put(inOrder, this.#headBytes);
      ftruncateSync(this.#descriptor, this.#headBytes + inOrder.length);
    } catch (cause) {
      this.fault ??= ioError(this.#path, cause);
    }
  }

  #put(bytes: Uint8Array, at: number): void {
    try {
      for (let done = 0; done < bytes.length; ) done += writeSync(this.#descriptor, bytes, done, bytes.length - done, at + done);
    } catch (cause) {
      this.fault ??= ioError(this.#path, cause);
    }
  }
}
