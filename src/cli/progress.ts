import { later } from "../facts/pause.ts";
import type { Environment } from "./environment.ts";
import { printable } from "./printable.ts";

/** What is over sooner is not worth a word. */
const QUIET_MS = 1000;

/** How often the line is written anew: often enough to be seen to move, and too seldom to cost anything. */
const REDRAW_MS = 200;

const ERASE_LINE = "\r\u001b[K";

/** The same surroundings, with a line of progress on stderr, which must be a terminal. Other words take its place. */
export function showingProgress(environment: Environment): { readonly environment: Environment; end(): void } {
  const { out, err, monotonic } = environment;
  const progress = new Progress(err, monotonic);
  return {
    environment: {
      ...environment,
      out: (text) => {
        progress.end();
        return out(text);
      },
      err: (text) => {
        progress.clear();
        err(text);
      },
      onProgress: (what) => progress.tell(what),
    },
    end: () => progress.end(),
  };
}

/** One line on a terminal that says what is being done, and for how long, while it takes longer than a second. */
class Progress {
  readonly #write: (text: string) => void;
  readonly #monotonic: () => number;
  /** Undefined while nothing is being done. */
  #startedAt: number | undefined;
  #what = "";
  #drawnAt = Number.NEGATIVE_INFINITY;
  #isShown = false;
  #cancelRedraw: (() => void) | undefined;

  constructor(write: (text: string) => void, monotonic: () => number) {
    this.#write = write;
    this.#monotonic = monotonic;
  }

  /** Says what is being done from now on. */
  tell(what: string): void {
    this.#what = what;
    this.#startedAt ??= this.#monotonic();
    this.#draw();
    this.#cancelRedraw ??= later(QUIET_MS, () => this.#redraw());
  }

  /** Takes the line away, for other words to stand there. */
  clear(): void {
    if (this.#isShown) this.#write(ERASE_LINE);
    this.#isShown = false;
  }

  /** Nothing is being done any more. */
  end(): void {
    this.#cancelRedraw?.();
    this.#cancelRedraw = undefined;
    this.#startedAt = undefined;
    this.clear();
  }

  #redraw(): void {
    this.#draw();
    this.#cancelRedraw = later(QUIET_MS, () => this.#redraw());
  }

  #draw(): void {
    const now = this.#monotonic();
    if (this.#startedAt === undefined || now - this.#startedAt < QUIET_MS || now - this.#drawnAt < REDRAW_MS) return;
    const seconds = Math.floor((now - this.#startedAt) / 1000);
    this.#write(`${ERASE_LINE}harness-wake: ${printable(this.#what)} (${seconds} s)`);
    this.#drawnAt = now;
    this.#isShown = true;
  }
}
