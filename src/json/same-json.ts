import { isJsonArray, isJsonObject, type Json, numberText } from "./json.ts";
import { isSameNumber } from "./number-value.ts";

/** Equal by type and content, numbers by value, keys in any order. */
export function isSameJson(a: Json, b: Json): boolean {
  if (numberText(a) !== undefined) return isSameNumber(a, b);
  if (isJsonArray(a)) {
    return isJsonArray(b) && a.length === b.length && a.every((entry, i) => isSameJson(entry, b[i] ?? null));
  }
  if (isJsonObject(a)) {
    const keys = Object.keys(a);
    return (
      isJsonObject(b) &&
      keys.length === Object.keys(b).length &&
      keys.every((key) => Object.hasOwn(b, key) && isSameJson(a[key] ?? null, b[key] ?? null))
    );
  }
  return a === b;
}
