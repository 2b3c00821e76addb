import type { RunTiming } from "../enclosure/run-enclosed.ts";
import { thrownError } from "./sdk-error.ts";

/** The run is over: whoever waited for the SDK waits no more. */
export class RunOver extends Error {}

/** For what is only polite: to cancel, to ask for the cost, to let go. Four of them fit into the grace of a run that is stopped. */
const POLITE_MS_MAX = 2_000;

/**
 * Waits for promises of the SDK, which may hang for ever, and reject when nobody waits for them any more: that alone would
 * end the process.
 */
export class SdkWaits {
  readonly #timing: RunTiming;
  readonly #over: AbortSignal;
  readonly #note: (message: string) => void;

  /** `over` ends every wait but the polite ones; `note` is told of what came too late to matter. */
  constructor(timing: RunTiming, over: AbortSignal, note: (message: string) => void) {
    this.#timing = timing;
    this.#over = over;
    this.#note = note;
  }

  /** What the promise gives. Throws RunOver when the run is over first. */
  async until<T>(promise: Promise<T>): Promise<T> {
    const done = new AbortController();
    const over = aborted(this.#over, done.signal).then(() => {
      throw new RunOver();
    });
    return this.#first(promise, over, done);
  }

  /** The same with a time of its own; throws a NetworkError with that message when it is over. */
  async within<T>(ms: number, late: string, promise: Promise<T>): Promise<T> {
    const done = new AbortController();
    const tooLate = this.#timing.pause(ms, ms, AbortSignal.any([this.#over, done.signal])).then(() => {
      throw this.#over.aborted ? new RunOver() : new DOMException(late, "NetworkError");
    });
    return this.#first(promise, tooLate, done);
  }

  /** Does what nobody needs, also after the run, and gives it a moment; undefined where it fails or takes longer. */
  async politely<T>(act: () => Promise<T>): Promise<T | undefined> {
    const done = new AbortController();
    const late = this.#timing.pause(POLITE_MS_MAX, POLITE_MS_MAX, done.signal).then(() => undefined);
    return this.#first<T | undefined>((async () => act())(), late, done).catch(() => undefined);
  }

  async #first<T>(promise: Promise<T>, other: Promise<T>, done: AbortController): Promise<T> {
    let isSettled = false;
    promise.catch((error: unknown) => {
      if (isSettled) this.#note(`too late to matter: ${thrownError(error).message}`);
    });
    try {
      return await Promise.race([promise, other]);
    } finally {
      isSettled = true;
      done.abort();
      other.catch(() => undefined);
    }
  }
}

function aborted(...signals: readonly AbortSignal[]): Promise<void> {
  const either = AbortSignal.any([...signals]);
  return new Promise((resolve) => {
    if (either.aborted) resolve();
    either.addEventListener("abort", () => resolve(), { once: true });
  });
}
