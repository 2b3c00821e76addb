import type { Pause } from "../../facts/pause.ts";

/** Wakes a loop that waits: for mail, for the end of a run, for the order to stop. */
export class Doorbell {
  #rung = new AbortController();

  ring(): void {
    this.#rung.abort();
  }

  /** Waits so long, or until somebody rings; also where it was rung since the last wait. */
  async wait(ms: number, pause: Pause): Promise<void> {
    await pause(ms, ms, this.#rung.signal);
    this.#rung = new AbortController();
  }
}
