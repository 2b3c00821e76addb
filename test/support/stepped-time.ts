import type { RunTiming } from "../../src/harness/enclosure/run-enclosed.ts";

/** Time that passes only when it is told to: a pause lasts until its end is passed, whatever happens meanwhile. */
export class SteppedTime implements RunTiming {
  #ms = 0;
  #waiting: { readonly untilMs: number; readonly wake: () => void }[] = [];

  readonly clock = { monotonic: () => this.#ms };

  readonly pause = (leastMs: number, _mostMs: number, signal?: AbortSignal): Promise<void> =>
    new Promise((wake) => {
      this.#waiting.push({ untilMs: this.#ms + leastMs, wake });
      if (signal?.aborted) wake();
      signal?.addEventListener("abort", () => wake());
    });

  advance(ms: number): void {
    this.#ms += ms;
    const due = this.#waiting.filter(({ untilMs }) => untilMs <= this.#ms);
    this.#waiting = this.#waiting.filter(({ untilMs }) => untilMs > this.#ms);
    for (const { wake } of due) wake();
  }
}
