import type { Clock } from "../../src/facts/clock.ts";

/** A clock that moves only when it is told to, or when somebody pauses by it: a pause takes no time and is written down. */
export class HandClock implements Clock {
  ms = 0;
  /** The least that each pause asked for. */
  readonly pausesMs: number[] = [];

  now(): number {
    return 1_800_000_000 + Math.floor(this.ms / 1000);
  }

  monotonic(): number {
    return this.ms;
  }

  readonly pause = async (leastMs: number, mostMs: number): Promise<void> => {
    if (mostMs < leastMs) throw new RangeError(`a pause from ${leastMs} to ${mostMs}`);
    this.pausesMs.push(leastMs);
    this.ms += leastMs;
  };
}
