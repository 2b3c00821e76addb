import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addSeconds, formatTime, normalizeTime, parseTime } from "../../src/job/time.ts";
import { fuzzRuns } from "../support/fuzz-runs.ts";

describe("a time is read as UTC", () => {
  test.each([
    ["2026-11-30T12:00:00Z", "2026-11-30T12:00:00Z", "RFC 3339 with Z"],
    ["2026-11-30t12:00:00z", "2026-11-30T12:00:00Z", "lower case"],
    ["2026-11-30 12:00:00Z", "2026-11-30T12:00:00Z", "a space for the T"],
    ["2026-11-30T12:00:00+05:30", "2026-11-30T06:30:00Z", "an offset east"],
    ["2026-11-30T12:00:00-08:00", "2026-11-30T20:00:00Z", "an offset west"],
    ["2026-11-30T12:00:00-00:00", "2026-11-30T12:00:00Z", "an offset of nothing"],
    ["2026-12-31T23:30:00-01:00", "2027-01-01T00:30:00Z", "an offset over the year's end"],
    ["2026-11-30T12:00:00", "2026-11-30T12:00:00Z", "a local date-time"],
    ["2026-11-30", "2026-11-30T00:00:00Z", "a date"],
    ["2026-11-30T12:00:00.999999Z", "2026-11-30T12:00:00Z", "a fraction, cut off"],
    ["2026-11-30T12:00:00.9", "2026-11-30T12:00:00Z", "a fraction of a local date-time, cut off"],
    ["2028-02-29T00:00:00Z", "2028-02-29T00:00:00Z", "a leap day"],
    ["2000-02-29", "2000-02-29T00:00:00Z", "a leap day of a century that has one"],
    ["0000-01-01T00:00:00Z", "0000-01-01T00:00:00Z", "the first moment"],
    ["0000-02-29", "0000-02-29T00:00:00Z", "a leap day in the year 0"],
    ["0099-12-31", "0099-12-31T00:00:00Z", "a year that Date.UTC would read as 1999"],
    ["9999-12-31T23:59:59Z", "9999-12-31T23:59:59Z", "the last moment"],
  ])("%s is %s: %s", (text, canonical) => {
    expect(normalizeTime(text)).toBe(canonical);
    expect(parseTime(text)).toBe(parseTime(canonical));
  });
});

test.each([
  ["2026-11-30T23:59:60Z", "a leap second"],
  ["2016-12-31T23:59:60Z", "a leap second that there was"],
  ["2026-11-30T24:00:00Z", "hour 24"],
  ["2026-11-30T24:00:00+01:00", "hour 24 with an offset"],
  ["2026-11-30T12:60:00Z", "minute 60"],
  ["2026-02-30", "February 30th"],
  ["2026-02-30T00:00:00Z", "February 30th with a time"],
  ["2026-02-29T00:00:00Z", "a leap day in a common year"],
  ["1900-02-29", "a leap day in a century that has none"],
  ["2026-04-31", "April 31st"],
  ["2026-00-10", "month 0"],
  ["2026-13-10", "month 13"],
  ["2026-11-00", "day 0"],
  ["2026-11-30T12:00:00+24:00", "an offset of a day"],
  ["2026-11-30T12:00:00+05:60", "an offset's minute 60"],
  ["0000-01-01T00:00:00+00:01", "before the first moment"],
  ["9999-12-31T23:59:59-00:01", "after the last moment"],
  ["10000-01-01", "five digits of a year"],
  ["2026-11-30T12:00", "no seconds"],
  ["2026-11-30Z", "a date with a zone"],
  ["2026-11-30T12:00:00+0530", "an offset without a colon"],
  ["2026-11-30T12:00:00.Z", "a fraction without digits"],
  [" 2026-11-30", "a space before"],
  ["2026-11-30\n", "a line break after"],
  ["٢٠٢٦-11-30", "digits of another script"],
  ["yesterday", "a word"],
  ["1796040000", "seconds"],
  ["", "nothing"],
])("%j is no time: %s", (text) => {
  expect(parseTime(text)).toBeUndefined();
  expect(normalizeTime(text)).toBe(text);
});

const anyMoment = fc.integer({ min: -62_167_219_200, max: 253_402_300_799 });

test("what is written is read as the same moment, in all of the years 0 to 9999", () => {
  fc.assert(
    fc.property(anyMoment, (moment) => parseTime(formatTime(moment)) === moment),
    fuzzRuns(5000),
  );
});

test("an offset moves the clock's face, not the moment", () => {
  const offset = fc.record({ sign: fc.constantFrom(1, -1), hours: fc.nat(23), minutes: fc.nat(59) });
  fc.assert(
    fc.property(fc.integer({ min: -62_000_000_000, max: 253_000_000_000 }), offset, (moment, { sign, hours, minutes }) => {
      const face = formatTime(moment + sign * (hours * 3600 + minutes * 60)).slice(0, 19);
      const two = (value: number): string => String(value).padStart(2, "0");
      expect(parseTime(`${face}${sign > 0 ? "+" : "-"}${two(hours)}:${two(minutes)}`)).toBe(moment);
    }),
    fuzzRuns(2000),
  );
});

test("the time of a valid date agrees with the platform's own calendar, and of an invalid one there is none", () => {
  const part = (max: number) => fc.nat(max).map((value) => String(value).padStart(2, "0"));
  const year = fc.nat(9999).map((value) => String(value).padStart(4, "0"));
  fc.assert(
    fc.property(year, part(13), part(32), part(24), part(60), part(61), (y, mo, d, h, mi, s) => {
      const text = `${y}-${mo}-${d}T${h}:${mi}:${s}Z`;
      const platform = Date.parse(text) / 1000;
      const exists = !Number.isNaN(platform) && new Date(platform * 1000).toISOString() === text.replace("Z", ".000Z");
      expect(parseTime(text)).toBe(exists ? platform : undefined);
    }),
    fuzzRuns(20_000),
  );
});

test("a sum stays within what a job file can write", () => {
  const last = parseTime("9999-12-31T23:59:59Z") ?? 0;
  expect(formatTime(addSeconds(last - 10, 5))).toBe("9999-12-31T23:59:54Z");
  expect(formatTime(addSeconds(last - 10, 900))).toBe("9999-12-31T23:59:59Z");
});
