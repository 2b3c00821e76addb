import { clearImmediate, clearTimeout, setImmediate, setTimeout } from "node:timers";

export interface PatienceLimits {
  /** How long nothing may be heard while somebody waits. */
  readonly silenceMs: number;
  /** How long all of it may take. */
  readonly totalMs: number;
}

/** Watches something that should be heard from while somebody waits for it, and must be over some time. */
export class Patience {
  readonly #silenceMs: number;
  readonly #lose: (limitMs: number) => void;
  readonly #total: NodeJS.Timeout;
  #silence: NodeJS.Timeout | undefined;
  #check: NodeJS.Immediate | undefined;

  /** Calls `lose` once with the limit that was passed, in milliseconds, unless {@link stop} comes first. */
  constructor({ silenceMs, totalMs }: PatienceLimits, lose: (limitMs: number) => void) {
    this.#silenceMs = silenceMs;
    this.#lose = lose;
    this.#total = setTimeout(() => this.#giveUp(totalMs), totalMs);
  }

  /** Somebody waits from now on. */
  listen(): void {
    this.rest();
    // A process that was busy for long finds this timer over, and what was said meanwhile unread: so it is read first.
    this.#silence = setTimeout(() => {
      this.#check = setImmediate(() => this.#giveUp(this.#silenceMs));
    }, this.#silenceMs);
  }

  heard(): void {
    if (this.#silence !== undefined) this.listen();
  }

  /** Stops the watch while nothing is expected: silence then means nothing. */
  rest(): void {
    clearTimeout(this.#silence);
    clearImmediate(this.#check);
    this.#silence = undefined;
  }

  stop(): void {
    this.rest();
    clearTimeout(this.#total);
  }

  #giveUp(limitMs: number): void {
    this.stop();
    this.#lose(limitMs);
  }
}
