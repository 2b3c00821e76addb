import type { Clock } from "../../src/facts/clock.ts";

/** A wall clock that stands where a test puts it, and can jump back. */
export class JumpingClock implements Clock {
  #now: number;

  constructor(now: number) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return 0;
  }

  set(now: number): void {
    this.#now = now;
  }

  /** Moves by so many seconds; negative, the clock goes back. */
  step(seconds: number): void {
    this.#now += seconds;
  }
}
