import type { JsonObject } from "../../json/json.ts";
import { z } from "../../json/zod.ts";
import { FIELD_NAMES, FIELDS, type FieldName } from "../fields.ts";

/**
 * What a job file must be (contract §2). A check and never a transformation: zod would reorder keys and drop `__proto__`, so
 * callers keep the object they parsed. Every message says what the field must be; the parser adds where and what it found.
 */
export function buildJobSchema() {
  return z.looseObject(Object.fromEntries(FIELD_NAMES.map((name) => [name, fieldSchema(name)])), "must be an object");
}

function fieldSchema(name: FieldName): z.ZodMiniType {
  const { kind, absence } = FIELDS[name];
  switch (absence) {
    case "refused":
      return kind.schema();
    case "default":
      return z.optional(kind.schema());
    case "kept":
      return z.optional(z.nullable(kind.schema()));
  }
}

/** Built for the first document that needs it: most ticks meet none, and building it is felt in their start. */
let jobSchema: ReturnType<typeof buildJobSchema> | undefined;

export interface Fault {
  /** Dotted path to the field. */
  readonly field: string;
  readonly path: readonly PropertyKey[];
  readonly rule: string;
}

/** The first rule of contract §2 that the parsed document breaks, or undefined when it is a job. */
export function findFault(document: JsonObject): Fault | undefined {
  jobSchema ??= buildJobSchema();
  const { error } = jobSchema.safeParse(document);
  const issue = error?.issues[0];
  if (issue === undefined) return undefined;
  return { field: issue.path.map(String).join("."), path: issue.path, rule: issue.message };
}
