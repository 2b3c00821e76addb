/** A number whose text `JSON.parse` would not keep: `1.0`, `1e400`, an integer above 2^53. Made by `JSON.rawJSON`. */
export interface RawNumber {
  readonly rawJSON: string;
}

export interface JsonObject {
  readonly [key: string]: Json;
}

/** A JSON value as harness-wake holds it. Numbers keep the text that they had in the file. */
export type Json = null | boolean | number | string | RawNumber | readonly Json[] | JsonObject;

declare global {
  interface JSON {
    rawJSON(text: string): RawNumber;
    isRawJSON(value: unknown): value is RawNumber;
  }
}

export function isRawNumber(value: unknown): value is RawNumber {
  // Only raw numbers have no prototype. Looking at it first is several times as fast as JSON.isRawJSON.
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === null && JSON.isRawJSON(value);
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !isRawNumber(value);
}

export function isJsonArray(value: unknown): value is readonly Json[] {
  return Array.isArray(value);
}

/** The text of a number in a file. Undefined for anything that is not a number. */
export function numberText(value: unknown): string | undefined {
  if (typeof value === "number") return JSON.stringify(value);
  return isRawNumber(value) ? value.rawJSON : undefined;
}

/** How deep a value from outside may nest: deeper than any real one, and not too deep for a recursive walk. */
export const JSON_DEPTH_MAX = 200;

/** Whether the value nests deeper than `limit` levels of arrays and objects. Never recurses past the limit. */
export function isDeeperThan(value: unknown, limit: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (limit === 0) return !isRawNumber(value);
  if (Array.isArray(value)) return value.some((entry) => isDeeperThan(entry, limit - 1));
  // Parsed JSON has no inherited keys, and an array of the values would cost more than the walk.
  for (const key in value) if (isDeeperThan((value as JsonObject)[key], limit - 1)) return true;
  return false;
}
