import { JobError } from "../../errors/job-error.ts";
import type { JsonObject } from "../../json/json.ts";
import { FIELD_NAMES, FIELDS, isOwnersField } from "../fields.ts";

const PROGRAMS_FIELDS = FIELD_NAMES.filter((name) => !isOwnersField(name));

const SHIELDED_FIELDS = FIELD_NAMES.filter((name) => FIELDS[name].shielded);

/** Throws JobError SCHEMA for a field that transitions alone write (contract §6). `source` is how the message names where. */
export function refuseProgramsFields(fields: JsonObject, source: string): void {
  const written = PROGRAMS_FIELDS.find((field) => Object.hasOwn(fields, field));
  if (written === undefined) return;
  throw new JobError("SCHEMA", `${source}: ${written} is written by harness-wake itself; leave it out`, { field: written });
}

/** The first of these fields that a live lease shields: what a harness at work relies on (contract §6). */
export function shieldedField(edits: JsonObject): string | undefined {
  return SHIELDED_FIELDS.find((field) => Object.hasOwn(edits, field));
}
