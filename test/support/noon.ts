import { momentOf } from "../../src/job/job.ts";
import { formatTime, type Seconds } from "../../src/job/time.ts";

/** The moment at which tests decide: noon of 30 November 2026, UTC. */
export const NOON: Seconds = momentOf("2026-11-30T12:00:00Z");

/** A moment beside {@link NOON}, as files and `--now` write it. */
export function atNoon(plusSeconds = 0): string {
  return formatTime(NOON + plusSeconds);
}
