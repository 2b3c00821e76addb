import { JobError } from "../errors/job-error.ts";
import { isJsonArray, isJsonObject, isRawNumber, type Json, type JsonObject } from "./json.ts";
import { keepNumber, mayBeMisread, parseExactly } from "./parse-json.ts";

/** Parses JSON so that every number keeps its text and every key is read right (contract §2). Throws SyntaxError. */
export function parseLossless(text: string): Json {
  return mayBeMisread(text) ? parseExactly(text) : JSON.parse(text, keepNumberText);
}

function keepNumberText(_key: string, value: Json, context?: { source?: string }): Json {
  return typeof value === "number" && context?.source !== undefined ? keepNumber(context.source) : value;
}

/** Compares by Unicode code point. UTF-16 order differs in one way: surrogates must sort above everything else. */
export function compareCodePoints(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return codePointRank(x) - codePointRank(y);
  }
  return a.length - b.length;
}

function codePointRank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

/** The text of a job file: two-space indent, keys sorted by code point, one trailing newline (contract §2). */
export function formatFile(value: Json): string {
  const ordered = inOrder(value);
  return `${ordered === undefined ? write(value, "  ", "\n") : JSON.stringify(ordered, null, 2)}\n`;
}

/** Canonical JSON, the text that fingerprints are taken over: no spaces, keys sorted, ASCII only (contract §2). */
export function formatCanonical(value: Json): string {
  const ordered = inOrder(value);
  // Outside of strings JSON is ASCII.
  return escapeNonAscii(ordered === undefined ? write(value, "", "") : JSON.stringify(ordered));
}

function escapeNonAscii(text: string): string {
  return text.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Keys that an object does not keep in the order of insertion: array indexes. And the one that is a setter. */
const WILFUL_KEY = /^(?:0|[1-9]\d*|__proto__)$/;

/**
 * The value with its keys in order, so that `JSON.stringify` can write it, which is several times as fast as {@link write}.
 * What is in order already is not copied. Undefined if `JSON.stringify` cannot: a key has no place of its own in an object, or a
 * value would change.
 */
function inOrder(value: Json): Json | undefined {
  if (isInOrder(value)) return value;
  if (isJsonArray(value)) {
    const entries = value.map(inOrder).filter((entry) => entry !== undefined);
    return entries.length < value.length ? undefined : entries;
  }
  if (!isJsonObject(value)) return undefined;
  const ordered: Record<string, Json> = {};
  for (const key of sortedKeys(value)) {
    const member = value[key];
    if (member === undefined) continue;
    const entry = inOrder(member);
    if (entry === undefined || WILFUL_KEY.test(key)) return undefined;
    ordered[key] = entry;
  }
  return ordered;
}

/** Keys by code point. Without surrogates that is the engine's own order, and its own sort is several times as fast. */
function sortedKeys(value: JsonObject): string[] {
  const keys = Object.keys(value);
  return keys.some((key) => ABOVE_THE_PLAIN.test(key)) ? keys.sort(compareCodePoints) : keys.sort();
}

const ABOVE_THE_PLAIN = /[\ud800-\uffff]/;

/** Whether all keys are in order. Most files were written in order before, so this copies nothing. */
function isInOrder(value: Json): boolean {
  if (isScalar(value)) return true;
  if (isJsonArray(value)) return value.every(isInOrder);
  if (!isJsonObject(value)) return false;
  let before = "";
  for (const key in value) {
    const member = value[key];
    if (member === undefined || !isInOrder(member) || compareCodePoints(before, key) >= 0 || WILFUL_KEY.test(key)) return false;
    before = key;
  }
  return true;
}

/** Writes what `JSON.stringify` would put in another order. `indent` is added to the line break at each level. */
function write(value: Json, indent: string, lineBreak: string): string {
  const inner = lineBreak + indent;
  if (isJsonArray(value)) {
    if (value.length === 0) return "[]";
    return `[${inner}${value.map((entry) => write(entry, indent, inner)).join(`,${inner}`)}${lineBreak}]`;
  }
  if (isJsonObject(value)) {
    const keys = Object.keys(value).filter((key) => value[key] !== undefined);
    if (keys.length === 0) return "{}";
    const colon = indent === "" ? ":" : ": ";
    const members = keys
      .sort(compareCodePoints)
      .map((key) => JSON.stringify(key) + colon + write(value[key] ?? null, indent, inner));
    return `{${inner}${members.join(`,${inner}`)}${lineBreak}}`;
  }
  if (isScalar(value)) return JSON.stringify(value);
  // Only a caller without types gets here.
  throw new JobError("SCHEMA", `${String(value).slice(0, 80)} is nothing that JSON can hold; leave it out`);
}

/** Whether JSON can hold the value as it is. `JSON.stringify` turns infinite numbers into null and drops functions. */
function isScalar(value: Json): boolean {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  return typeof value === "number" ? Number.isFinite(value) : isRawNumber(value);
}
