import type { JsonObject } from "../../json/json.ts";
import { FIELD_NAMES, FIELDS } from "../fields.ts";

const CHECKS = FIELD_NAMES.map((name) => ({
  name,
  isPlain: FIELDS[name].kind.isPlain,
  mayBeAbsent: FIELDS[name].absence !== "refused",
}));

/**
 * Accepts, in a tenth of the schema's time, the documents that nearly all job files are. Whatever it turns down the schema
 * decides, so it may be narrower than the schema and must never be wider: a property test holds the two together.
 */
export function isPlainlyAJob(document: JsonObject): boolean {
  for (const { name, isPlain, mayBeAbsent } of CHECKS) {
    const value = document[name];
    if (value === undefined ? !mayBeAbsent : !isPlain(value)) return false;
  }
  return true;
}
