import { JobError } from "../errors/job-error.ts";
import type { OwnerFieldName } from "../job/fields.ts";
import type { CompletionPredicate, Job } from "../job/job.ts";
import { isJsonObject, type Json, type JsonObject } from "../json/json.ts";
import { fromPlain } from "../json/plain-json.ts";

/** The owner's fields of a job, as plain JavaScript; integers beyond 2^53 as bigint (contract §2). */
type Plain = {
  readonly [Name in OwnerFieldName]?: Name extends "checkpoint"
    ? Readonly<Record<string, unknown>>
    : Name extends "completion_predicate"
      ? CompletionPredicate
      : Job[Name];
};

type RequiredName = "job_id" | "owner_claim" | "harness" | "objective" | "deadline";

/** What a new job needs, and what it may have. Times are RFC 3339. */
export type NewJobFields = Plain & { readonly [Name in RequiredName]: Job[Name] };

/** What an owner may change of a job. */
export type OwnerFields = Omit<Plain, "job_id">;

/** The fields as JSON. What equals the job's own value keeps its text. Throws JobError SCHEMA for what JSON cannot hold. */
export function fieldsAsJson(fields: object, before: JsonObject | undefined, source: string): JsonObject {
  const given: Json = fromPlain(fields, before, source);
  if (isJsonObject(given)) return given;
  throw new JobError("SCHEMA", `${source}: the fields must be an object`);
}
