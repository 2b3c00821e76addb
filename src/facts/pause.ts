import { randomInt } from "node:crypto";
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
