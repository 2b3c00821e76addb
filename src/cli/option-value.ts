import { InvalidArgumentError } from "commander";
import { parseDuration } from "../job/duration.ts";
import { parseTime, type Seconds } from "../job/time.ts";

/** A time on the command line. Throws InvalidArgumentError. */
export function requireTime(text: string): Seconds {
  const moment = parseTime(text);
  if (moment === undefined) throw new InvalidArgumentError("It must be a time that exists, like 2026-11-30T12:00:00Z.");
  return moment;
}

/** A whole number on the command line. Throws InvalidArgumentError. */
export function requireInteger(text: string): number {
  const number = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(number)) throw new InvalidArgumentError("It must be a whole number, at most 2^53-1.");
  return number;
}

/** An amount of money on the command line. Throws InvalidArgumentError. */
export function requireAmount(text: string): number {
  if (!/^\d{1,7}(?:\.\d{1,9})?$/.test(text)) throw new InvalidArgumentError("It must be an amount in US dollars, like 0.25.");
  return Number(text);
}

/** A length of time on the command line, in seconds: `45s`, `30m`, `1h30m`, `2d`, `1w`. Throws InvalidArgumentError. */
export function requireDuration(text: string): number {
  const seconds = parseDuration(text);
  if (seconds === undefined) throw new InvalidArgumentError("It must be a length of time, like 45s, 30m, 1h30m or 2d.");
  return seconds;
}
