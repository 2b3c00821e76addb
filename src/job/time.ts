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
  const parts = TIME.exec(text);
  if (parts === null) return undefined;
  const year = Number(parts[1]);
  const month = Number(parts[2]);
  const day = Number(parts[3]);
  const hour = Number(parts[4] ?? 0);
  const minute = Number(parts[5] ?? 0);
  const second = Number(parts[6] ?? 0);
  const offsetHour = Number(parts[8] ?? 0);
  const offsetMinute = Number(parts[9] ?? 0);
  if (day < 1 || day > daysInMonth(year, month)) return undefined;
  if (hour > 23 || minute > 59 || second > 59 || offsetHour > 23 || offsetMinute > 59) return undefined;
  const local = Date.UTC(year + 400, month - 1, day, hour, minute, second) / 1000 - FOUR_CENTURIES_SECONDS;
  const offset = (offsetHour * 60 + offsetMinute) * 60;
  const moment = parts[7] === "-" ? local + offset : local - offset;
  return moment < EARLIEST || moment > LATEST ? undefined : moment;
}

/** Writes a moment as `YYYY-MM-DDTHH:MM:SSZ`. */
export function formatTime(moment: Seconds): string {
  return `${new Date(moment * 1000).toISOString().slice(0, 19)}Z`;
}

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
