import { randomInt } from "node:crypto";
import { clearTimeout, setTimeout } from "node:timers";
import { setTimeout as sleep } from "node:timers/promises";

/** How waiting is done; tests hand in one that takes no time. */
export type Pause = (leastMs: number, mostMs: number, signal?: AbortSignal) => Promise<void>;

/**
 * Waits a random time between the two, in milliseconds, so that rivals that collided once do not collide again. Ends at
 * once when the signal does.
 */
export async function pauseBetween(leastMs: number, mostMs: number, signal?: AbortSignal): Promise<void> {
  const ms = leastMs === mostMs ? mostMs : randomInt(leastMs, mostMs + 1);
  try {
    await sleep(ms, undefined, { signal });
  } catch (error) {
    if (!signal?.aborted) throw error;
  }
}

/** The promise's value, or a TimeoutError when it takes longer than that. What it was doing may go on. */
export async function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  const timeout = new AbortController();
  const late = sleep(ms, undefined, { signal: timeout.signal }).then(() => {
    throw new DOMException(`no answer within ${ms} ms`, "TimeoutError");
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    timeout.abort();
    late.catch(() => undefined);
  }
}

/** Does something once, later, unless it is called off before. Waiting for that keeps no process alive. */
export function later(ms: number, act: () => void): () => void {
  const timer = setTimeout(act, ms);
  timer.unref();
  return () => clearTimeout(timer);
}
