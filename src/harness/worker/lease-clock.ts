import type { Seconds } from "../../job/time.ts";

/** How long a program gets between being asked to end and being killed (contract §11). */
export const STOP_GRACE_MS = 10_000;

/** Of a short lease, stopping may take no more than this part. */
const STOP_SHARE = 4;

/** Between the kill and the end of the lease: the kernel ends what was killed within moments. */
const KILL_MARGIN_MS = 500;

/**
 * A lease as a worker may count on it: by the monotonic clock, from before the call that confirmed it was made, since the
 * store may have answered at once and the answer taken long. All times are monotonic milliseconds, but for `until`.
 */
export class LeaseClock {
  #endsAtMs: number;
  #until: Seconds;
  #confirmedAtMs: number;
  readonly #leaseMs: number;

  /** `calledAtMs` is when the claim that got the lease was first tried; `until` is what the store says of its end. */
  constructor(leaseSeconds: number, calledAtMs: number, until: Seconds) {
    this.#leaseMs = leaseSeconds * 1000;
    this.#endsAtMs = calledAtMs + this.#leaseMs;
    this.#until = until;
    this.#confirmedAtMs = calledAtMs;
  }

  /**
   * The store confirmed the lease in a call that was begun at this moment. It counts for no more than `until` moved: where
   * this machine's clock went back, a renewal is answered RENEWED and extends nothing.
   */
  renewed(calledAtMs: number, until: Seconds): void {
    const moved = this.#endsAtMs + (until - this.#until) * 1000;
    this.#endsAtMs = Math.max(this.#endsAtMs, Math.min(calledAtMs + this.#leaseMs, moved));
    this.#until = Math.max(this.#until, until);
    this.#confirmedAtMs = Math.max(this.#confirmedAtMs, calledAtMs);
  }

  get graceMs(): number {
    return Math.min(STOP_GRACE_MS, this.#leaseMs / STOP_SHARE);
  }

  /** When a program must be asked to end, so that it is gone before the lease is. */
  get stopAtMs(): number {
    return this.#endsAtMs - this.graceMs - Math.min(KILL_MARGIN_MS, this.#leaseMs / STOP_SHARE);
  }

  /** When the next renewal is due: three chances a lease, however long the answer to the last call took. */
  get renewAtMs(): number {
    return this.#confirmedAtMs + this.#leaseMs / 3;
  }

  /** After a renewal that did not reach the store. */
  get retryEveryMs(): number {
    return Math.min(this.#leaseMs / 30, 10_000);
  }
}
