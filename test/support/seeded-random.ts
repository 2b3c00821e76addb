import { randomInt } from "node:crypto";

/** Chance that can be had again: HARNESS_WAKE_SEED takes the seed that a failure printed. */
export class SeededRandom {
  readonly seed: number;
  #state: number;

  constructor(seed = Number(process.env["HARNESS_WAKE_SEED"] ?? randomInt(2 ** 31))) {
    this.seed = seed;
    this.#state = seed;
  }

  /** At least 0, below 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }
}
