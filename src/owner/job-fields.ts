import { JobError } from "../errors/job-error.ts";
import { isJsonObject, type Json, type JsonObject } from "../json/json.ts";
import { fromPlain } from "../json/plain-json.ts";

/** The owner's fields of a job, as plain JavaScript; integers beyond 2^53 as bigint. */
export type JobFields = Readonly<Record<string, unknown>>;

/** The fields as JSON. What equals the job's own value keeps its text. Throws JobError SCHEMA for what JSON cannot hold. */
export function requireFields(fields: JobFields, before: JsonObject | undefined, source: string): JsonObject {
  const given: Json = fromPlain(fields, before, source);
  if (isJsonObject(given)) return given;
  throw new JobError("SCHEMA", `${source}: the fields must be an object`);
}
