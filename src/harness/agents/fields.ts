import { isJsonArray, isJsonObject, type Json, type JsonObject, numberText } from "../../json/json.ts";

/** Reads of agents' records, which are outside input: what is not of the kind that is asked for is not there. */

export function textField(record: JsonObject, name: string): string | undefined {
  const value = fieldOf(record, name);
  return typeof value === "string" ? value : undefined;
}

export function objectField(record: JsonObject, name: string): JsonObject {
  const value = fieldOf(record, name);
  return isJsonObject(value) ? value : {};
}

export function listField(record: JsonObject, name: string): readonly Json[] {
  const value = fieldOf(record, name);
  return isJsonArray(value ?? null) ? (value as readonly Json[]) : [];
}

/** A number that is not negative. */
export function amountField(record: JsonObject, name: string): number | undefined {
  const text = numberText(fieldOf(record, name));
  const value = text === undefined ? Number.NaN : Number(text);
  return Number.isFinite(value) && value >= 0 ? value : undefined;
}

/** A whole number that is not negative. */
export function countField(record: JsonObject, name: string): number | undefined {
  const value = amountField(record, name);
  return value !== undefined && Number.isSafeInteger(value) ? value : undefined;
}

function fieldOf(record: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
