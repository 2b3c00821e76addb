import { uptime } from "node:os";
import { type Clock, systemClock } from "./clock.ts";

/** Some systems tell for how long they are up by the second. */
const NOISE_MS = 2_000;

/**
 * Milliseconds that only ever grow, and go on while the machine sleeps, which those of a process do not: a lease runs out
 * while a laptop is closed. A sleep is noticed at the first look after it.
 */
export function sleeplessClock(awakeMs = systemClock.monotonic, uptimeSeconds = uptime): Pick<Clock, "monotonic"> {
  const startMs = uptimeSeconds() * 1000 - awakeMs();
  let sleptMs = 0;
  return {
    monotonic() {
      const nowMs = awakeMs();
      const behindMs = uptimeSeconds() * 1000 - startMs - nowMs;
      if (behindMs > sleptMs + NOISE_MS) sleptMs = behindMs;
      return nowMs + sleptMs;
    },
  };
}
