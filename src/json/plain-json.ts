import { JobError } from "../errors/job-error.ts";
import { isJsonArray, isJsonObject, isRawNumber, JSON_DEPTH_MAX, type Json, type JsonObject, numberText } from "./json.ts";
import { isSameNumber, plainNumber } from "./number-value.ts";

/** JSON as a harness holds it: plain JavaScript, with integers beyond 2^53 as bigint. */
export type PlainJson = null | boolean | number | bigint | string | readonly PlainJson[] | { readonly [key: string]: PlainJson };

/** The value for a harness. A number too large for JavaScript, like `1e400`, becomes Infinity. */
export function toPlain(value: Json): PlainJson {
  if (isRawNumber(value)) return plainNumber(value.rawJSON);
  if (isJsonArray(value)) return value.map(toPlain);
  if (isJsonObject(value)) return toPlainObject(value);
  return value;
}

export function toPlainObject(value: JsonObject): { readonly [key: string]: PlainJson } {
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, toPlain(entry)]));
}

/**
 * The value from a harness. A number that equals the one in `woken` at the same place keeps the text of that one, so that the
 * file changes only where the harness changed something (contract §2). Messages name the place by `field`.
 * Throws JobError SCHEMA for what JSON cannot hold.
 */
export function fromPlain(value: unknown, woken: Json | undefined, field: string, depthLeft = JSON_DEPTH_MAX): Json {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number" || typeof value === "bigint" || isRawNumber(value)) return numberFrom(value, woken, field);
  if (depthLeft === 0) throw refused(field, `nests deeper than ${JSON_DEPTH_MAX} levels; flatten it`);
  if (Array.isArray(value)) {
    const before = isJsonArray(woken ?? null) ? (woken as readonly Json[]) : [];
    return value.map((entry, i) => fromPlain(entry, before[i], `${field}.${i}`, depthLeft - 1));
  }
  if (isPlainObject(value)) {
    const before: JsonObject = isJsonObject(woken) ? woken : {};
    const members = Object.entries(value).filter(([, entry]) => entry !== undefined);
    return Object.fromEntries(
      members.map(([key, entry]) => {
        const there = Object.hasOwn(before, key) ? before[key] : undefined;
        return [key, fromPlain(entry, there, `${field}.${key}`, depthLeft - 1)];
      }),
    );
  }
  throw refused(field, `is ${typeof value === "object" ? "an object of a class" : typeof value}; JSON cannot hold it`);
}

function numberFrom(value: number | bigint | { readonly rawJSON: string }, woken: Json | undefined, field: string): Json {
  const given = typeof value === "bigint" ? JSON.rawJSON(`${value}`) : value;
  if (woken !== undefined && isSameValue(given, woken)) return woken;
  const text = numberText(given) ?? "";
  const isInteger = /^-?\d+$/.test(text);
  if (!isInteger && !Number.isFinite(Number(text === "null" ? Number.NaN : text)))
    throw refused(field, "is not a finite number; JSON cannot hold it");
  return given;
}

/** Compared with what the harness was given: Infinity for `1e400`, 0.1 for a text with more digits than JavaScript keeps. */
function isSameValue(given: Json, woken: Json): boolean {
  const text = numberText(woken);
  if (typeof given === "number" && text !== undefined && plainNumber(text) === given) return true;
  return isSameNumber(given, woken);
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function refused(field: string, what: string): JobError {
  return new JobError("SCHEMA", `${field} ${what}`, { field });
}
