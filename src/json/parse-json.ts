import { parse } from "lossless-json";
import type { Json } from "./json.ts";

/** A key with an escape: a backslash in a string before a colon. The match is cheap, and may be a false alarm. */
const ESCAPED_KEY = /\\.[^"\\]*"\s*:/s;

/**
 * Whether `JSON.parse` may read a key of the text wrongly. The V8 of Node 24 compares a key's spelling, escapes included, with a
 * key that it met earlier in the same place: after an object with the key `\`, it reads the key `"\""` as `\`.
 */
export function mayBeMisread(text: string): boolean {
  return text.includes("\\") && ESCAPED_KEY.test(text);
}

/** Parses any JSON with every key as it is written. Numbers may lose their text. Throws SyntaxError. */
export function parseJson(text: string): Json {
  return mayBeMisread(text) ? parseExactly(text) : JSON.parse(text);
}

/** Parses in JavaScript, some twenty times as slow as `JSON.parse`. Of equal keys the last counts. Throws SyntaxError. */
export function parseExactly(text: string): Json {
  try {
    return parse(text, undefined, { parseNumber: keepNumber, onDuplicateKey: ({ newValue }) => newValue }) as Json;
  } catch (cause) {
    if (cause instanceof RangeError) throw new SyntaxError("it nests too deeply to be read; flatten it", { cause });
    throw cause;
  }
}

/** The number of a source text: a plain one where its text would come back the same, else one that keeps its text. */
export function keepNumber(source: string): Json {
  const value = Number(source);
  return JSON.stringify(value) === source ? value : JSON.rawJSON(source);
}
