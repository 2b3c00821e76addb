import { randomInt } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

/** Waits a random time between the two, in milliseconds, so that rivals that collided once do not collide again. */
export async function pauseBetween(leastMs: number, mostMs: number): Promise<void> {
  await sleep(leastMs === mostMs ? mostMs : randomInt(leastMs, mostMs + 1));
}
