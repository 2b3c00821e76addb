/** A moment in whole seconds since 1970-01-01T00:00:00Z. Read from a file or handed in as a fact; never taken here. */
export type Seconds = number;

const DAYS_IN_MONTH = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

/** `Date.UTC` reads years 0 to 99 as 1900 to 1999; 400 Gregorian years are always this long, so we step past them. */
const FOUR_CENTURIES_SECONDS = 146_097 * 86_400;

const TIME = /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:[Zz]|([+-])(\d\d):(\d\d))?)?$/;

/** The first and the last moment that `YYYY-MM-DDTHH:MM:SSZ` can write. */
const EARLIEST: Seconds = -62_167_219_200;
const LATEST: Seconds = 253_402_300_799;

/**
 * Reads a time: RFC 3339 with `Z` or an offset, a date, or a local date-time, which counts as UTC whatever the machine's
 * zone; a fraction is cut off. Undefined for anything else, impossible dates and leap seconds included (contract §2).
 */
export function parseTime(text: string): Seconds | undefined {
  return CANONICAL.test(text) ? parseCanonical(text) : parseAny(text);
}

/** As harness-wake writes it: nearly every time that it reads, and read several times for each job of a tick. */
const CANONICAL = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

function parseCanonical(text: string): Seconds | undefined {
  return moment(
    digits(text, 0, 4),
    digits(text, 5, 7),
    digits(text, 8, 10),
    digits(text, 11, 13),
    digits(text, 14, 16),
    digits(text, 17, 19),
    0,
  );
}

function digits(text: string, from: number, to: number): number {
  let value = 0;
  for (let i = from; i < to; i++) value = value * 10 + text.charCodeAt(i) - DIGIT_ZERO;
  return value;
}

const DIGIT_ZERO = 48;

function parseAny(text: string): Seconds | undefined {
  const parts = TIME.exec(text);
  if (parts === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts.slice(1, 7).map((part) => Number(part ?? 0));
  const offsetHour = Number(parts[8] ?? 0);
  const offsetMinute = Number(parts[9] ?? 0);
  if (offsetHour > 23 || offsetMinute > 59) return undefined;
  const offset = (offsetHour * 60 + offsetMinute) * 60;
  return moment(year, month, day, hour, minute, second, parts[7] === "-" ? -offset : offset);
}

function moment(
  year: number,
  month: number,
  day: number,
  hour: number,
  minute: number,
  second: number,
  offset: number,
): Seconds | undefined {
  if (day < 1 || day > daysInMonth(year, month) || hour > 23 || minute > 59 || second > 59) return undefined;
  const local = Date.UTC(year + 400, month - 1, day, hour, minute, second) / 1000 - FOUR_CENTURIES_SECONDS;
  const utc = local - offset;
  return utc < EARLIEST || utc > LATEST ? undefined : utc;
}

/** A time that was read, as {@link formatTime} would write it; what is no time stays as it is. */
export function normalizeTime(text: string): string {
  if (CANONICAL.test(text)) return text;
  const read = parseTime(text);
  return read === undefined ? text : formatTime(read);
}

/** Writes a moment as `YYYY-MM-DDTHH:MM:SSZ`. */
export function formatTime(moment: Seconds): string {
  const known = written.get(moment);
  if (known !== undefined) return known;
  if (written.size >= WRITTEN_MAX) written.clear();
  const text = `${new Date(moment * 1000).toISOString().slice(0, 19)}Z`;
  written.set(moment, text);
  return text;
}

/** A pass writes few moments, its own and the ends of its leases, tens of thousands of times. */
const written = new Map<Seconds, string>();
const WRITTEN_MAX = 16;

/** A later moment, kept within what a job file can write: a deadline in the year 9999 plus a lease stays in 9999. */
export function addSeconds(moment: Seconds, seconds: number): Seconds {
  return Math.min(moment + seconds, LATEST);
}

function daysInMonth(year: number, month: number): number {
  if (month === 2 && !isLeapYear(year)) return 28;
  return DAYS_IN_MONTH[month - 1] ?? 0;
}

function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}
