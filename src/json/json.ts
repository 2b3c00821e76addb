/** A number whose text would not survive `JSON.parse`: `1.0`, `1e400`, an integer above 2^53. Made by `JSON.rawJSON`. */
export interface RawNumber {
  readonly rawJSON: string;
}

export interface JsonObject {
  readonly [key: string]: Json;
}

/** A JSON value as harness-wake holds it: numbers keep the text they had in the file. */
export type Json = null | boolean | number | string | RawNumber | readonly Json[] | JsonObject;

declare global {
  interface JSON {
    rawJSON(text: string): RawNumber;
    isRawJSON(value: unknown): value is RawNumber;
  }
}

export function isRawNumber(value: unknown): value is RawNumber {
  // Only raw numbers have no prototype, and asking for it is several times cheaper than the question proper.
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === null && JSON.isRawJSON(value);
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !isRawNumber(value);
}

export function isJsonArray(value: unknown): value is readonly Json[] {
  return Array.isArray(value);
}

/** The text of a number as it stands, or will stand, in a file; undefined for anything that is not a number. */
export function numberText(value: unknown): string | undefined {
  if (typeof value === "number") return JSON.stringify(value);
  return isRawNumber(value) ? value.rawJSON : undefined;
}

/** How deep a value from outside may nest: far past any real one, far short of what a recursive walk can bear. */
export const JSON_DEPTH_MAX = 200;

/** Whether the value nests deeper than `limit` levels of arrays and objects. Never recurses past the limit. */
export function isDeeperThan(value: unknown, limit: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (limit === 0) return !isRawNumber(value);
  if (Array.isArray(value)) return value.some((entry) => isDeeperThan(entry, limit - 1));
  // Parsed JSON has no inherited keys, and this walk is most of what reading a job costs: no array of values is made.
  for (const key in value) if (isDeeperThan((value as JsonObject)[key], limit - 1)) return true;
  return false;
}
