import type { Pause } from "../../src/facts/pause.ts";

interface Waiter {
  readonly atMs: number;
  readonly order: number;
  readonly wake: () => void;
}

/** The busiest world of twenty minutes took 3,000. So many are a loop in which hardly any time passes. */
const STEPS_MAX = 100_000;

/** A world's time: it passes only while everybody waits, from one thing that happens to the next. */
export class SimulatedTime {
  nowMs = 0;
  #order = 0;
  #waiting: Waiter[] = [];

  readonly clock = { monotonic: (): number => this.nowMs };

  readonly pause: Pause = (leastMs, _mostMs, signal) =>
    new Promise((wake) => {
      if (signal?.aborted) return wake();
      const waiter = { atMs: this.nowMs + Math.max(0, leastMs), order: this.#order++, wake };
      this.#waiting.push(waiter);
      signal?.addEventListener("abort", () => {
        this.#waiting = this.#waiting.filter((other) => other !== waiter);
        wake();
      });
    });

  /** Lets everything happen until this moment, or until nobody waits for anything. Throws where that takes no end. */
  async runUntil(endMs: number): Promise<void> {
    for (let steps = 0; steps < STEPS_MAX; steps++) {
      await settled();
      const next = this.#waiting.toSorted((a, b) => a.atMs - b.atMs || a.order - b.order)[0];
      if (next === undefined || next.atMs > endMs) return;
      this.#waiting = this.#waiting.filter((other) => other !== next);
      this.nowMs = next.atMs;
      next.wake();
    }
    throw new Error(`${STEPS_MAX} things happened by ${this.nowMs} ms, and the end is still to come`);
  }
}

/** When everything that can go on without time passing has gone on. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
}
