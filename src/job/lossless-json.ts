import { JobError } from "./job-error.ts";
import { isJsonArray, isJsonObject, isRawNumber, type Json } from "./json.ts";

/**
 * Finds, cheaply and with false alarms, a number that a plain parse may not give back as it was: sixteen digits and more,
 * a fraction, an exponent, or a minus zero. It looks back from the `,`, `}` or `]` that follows every number in an object
 * or array, because there are few of those; what it does not find needs no second, slower parse.
 */
const MAY_HOLD_FRAGILE_NUMBER = /[,}\]](?<=(?:\d{16}|[.eE][+-]?\d+|-0)\s*.)/;

/**
 * Parses the JSON of an object or array so that every number keeps its text (contract §2). Throws SyntaxError as `JSON.parse` does. The text must
 * nest no deeper than a recursive walk can go; check with {@link isDeeperThan} on a plain parse first.
 */
export function parseLossless(text: string, plain: Json = JSON.parse(text)): Json {
  if (!MAY_HOLD_FRAGILE_NUMBER.test(text)) return plain;
  return JSON.parse(text, keepNumberText);
}

/** A reviver: a number stays a number where its text would come back the same, and is kept as text where it would not. */
function keepNumberText(_key: string, value: Json, context?: { source?: string }): Json {
  if (typeof value !== "number" || context?.source === undefined) return value;
  return JSON.stringify(value) === context.source ? value : JSON.rawJSON(context.source);
}

/** Compares by Unicode code point, which is UTF-16 order except that surrogates sort above everything else. */
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
  return `${write(value, FILE_STYLE, "\n")}\n`;
}

/** Canonical JSON, the text that fingerprints are taken over: no spaces, keys sorted, ASCII only (contract §2). */
export function formatCanonical(value: Json): string {
  return write(value, CANONICAL_STYLE, "");
}

interface Style {
  readonly colon: string;
  /** Added to the line break at each level; canonical text has no line breaks. */
  readonly indent: string;
  readonly string: (text: string) => string;
}

const FILE_STYLE: Style = { colon: ": ", indent: "  ", string: (text) => JSON.stringify(text) };

const CANONICAL_STYLE: Style = { colon: ":", indent: "", string: (text) => escapeNonAscii(JSON.stringify(text)) };

function escapeNonAscii(literal: string): string {
  return literal.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Writes by hand because `JSON.stringify` puts keys that look like integers first, whatever order they are given in. */
function write(value: Json, style: Style, lineBreak: string): string {
  if (typeof value === "string") return style.string(value);
  if (isRawNumber(value)) return value.rawJSON;
  const inner = lineBreak + style.indent;
  if (isJsonArray(value)) {
    if (value.length === 0) return "[]";
    return `[${inner}${value.map((entry) => write(entry, style, inner)).join(`,${inner}`)}${lineBreak}]`;
  }
  if (isJsonObject(value)) {
    const keys = Object.keys(value)
      .filter((key) => value[key] !== undefined)
      .sort(compareCodePoints);
    if (keys.length === 0) return "{}";
    const members = keys.map((key) => style.string(key) + style.colon + write(value[key] ?? null, style, inner));
    return `{${inner}${members.join(`,${inner}`)}${lineBreak}}`;
  }
  if (value === null || typeof value === "boolean" || Number.isFinite(value)) return JSON.stringify(value);
  // Only a caller without types gets here; `NaN` would become null, and a function the word undefined.
  throw new JobError("SCHEMA", `${String(value).slice(0, 80)} is nothing that JSON can hold; leave it out`);
}
