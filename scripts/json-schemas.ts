// Writes schema/, the JSON Schemas of what others read and write, from the rules that the program itself checks by: npm run
// json-schemas.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { buildConfigSchema } from "../src/config/config.ts";
import { buildOutcomeSchema } from "../src/harness/outcome.ts";
import { fieldsOfKind, JOB_DEFAULTS } from "../src/job/fields.ts";
import { buildJobSchema } from "../src/job/file/schema.ts";
import { JOB_ID, RESULT_ADDRESS } from "../src/job/patterns.ts";
import { z } from "../src/json/zod.ts";
import { buildMailSchema } from "../src/mail/wake-mail.ts";
import { RECORD_RULES } from "./record-rules.ts";

type JsonSchema = Readonly<Record<string, unknown>>;

/** Of each file of schema/, its text. */
export function jsonSchemas(): ReadonlyMap<string, string> {
  const times = fieldsOfKind("time").map((name) => [name, { description: "RFC 3339, like 2026-11-30T12:00:00Z" }] as const);
  const usual = Object.entries(JOB_DEFAULTS).map(([name, value]) => [name, { default: value }] as const);
  const job = withHints(schemaOf(buildJobSchema()), [...times, ...usual, ["checkpoint", { type: "object" }]]);
  const outcome = withHints(schemaOf(buildOutcomeSchema()), [["checkpoint", { type: "object" }], SCHEMA_KEY]);
  return new Map([
    ["schema/job.json", text("A job: a file of wake_jobs/", job)],
    ["schema/config.json", text("harness-wake.json", withHints(schemaOf(buildConfigSchema()), [SCHEMA_KEY]))],
    ["schema/mail.json", text("The mail of one attempt", schemaOf(buildMailSchema()))],
    ["schema/outcome.json", text("What a run leaves of itself", outcome)],
    ["schema/records.json", text("A record as the command line prints it, whole", recordsSchema())],
  ]);
}

/** Each record by its name under `$defs`, so that one can be asked for alone. */
function recordsSchema(): JsonSchema {
  const named = Object.entries(RECORD_RULES).map(([name, rule]) => {
    const { $schema: _, ...schema } = schemaOf(rule);
    return [name, schema] as const;
  });
  return { $schema: DIALECT, anyOf: named.map(([name]) => ({ $ref: `#/$defs/${name}` })), $defs: Object.fromEntries(named) };
}

const DIALECT = "https://json-schema.org/draft/2020-12/schema";

/** Allowed wherever unknown keys are not, and means nothing to the program. */
const SCHEMA_KEY = ["$schema", { type: "string" }] as const;

/** What JSON Schema can say of a rule. Never narrower: what the rule takes is not marked wrong. */
function schemaOf(schema: z.ZodMiniType): JsonSchema {
  return z.toJSONSchema(schema, {
    unrepresentable: "any",
    io: "input",
    override: ({ jsonSchema }) => {
      if (FOLDED.some(({ source }) => source === jsonSchema.pattern)) jsonSchema.pattern = inAnyCase(jsonSchema.pattern ?? "");
    },
  });
}

/** Patterns that hold in any case; JSON Schema has no flag for that. */
const FOLDED = [JOB_ID, RESULT_ADDRESS];

function inAnyCase(pattern: string): string {
  return pattern.replace(/\[[^\]]*\]|[a-z]/g, (part) =>
    part.startsWith("[") ? part.replace("a-z", "A-Za-z") : `[${part.toUpperCase()}${part}]`,
  );
}

function withHints(schema: JsonSchema, hints: readonly (readonly [field: string, hint: JsonSchema])[]): JsonSchema {
  const properties: Record<string, unknown> = { ...Object(schema["properties"]) };
  for (const [field, hint] of hints) properties[field] = { ...Object(properties[field]), ...hint };
  return { ...schema, properties };
}

function text(title: string, { $schema, ...schema }: JsonSchema): string {
  return `${JSON.stringify({ $schema, title, ...schema }, null, 2)}\n`;
}

if (import.meta.main) {
  for (const [file, content] of jsonSchemas()) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
}
