import { z } from "../json/zod.ts";
import { buildOutcomeSchema, type Outcome } from "./outcome.ts";

/** What only a program can say of itself is not asked of a model. */
const NOT_ASKED = ["tokens_used", "cost_usd"] as const satisfies readonly (keyof Outcome)[];

type JsonSchema = { readonly [key: string]: unknown };

/** The JSON Schema of an outcome, for agents that answer by one. */
export function outcomeJsonSchema(): JsonSchema {
  const whole = z.toJSONSchema(buildOutcomeSchema(), { unrepresentable: "any" });
  const asked = Object.entries(whole.properties ?? {}).filter(([name]) => !(NOT_ASKED as readonly string[]).includes(name));
  const properties = asked.map(([name, rule]) => [name, name === "checkpoint" ? { type: "object", ...own(rule) } : own(rule)]);
  return { type: "object", properties: Object.fromEntries(properties), additionalProperties: false };
}

/**
 * The same for APIs that take strict schemas alone: every field is there, null where there is nothing to say, and what may be
 * any JSON is JSON as text, since no object may have keys that the schema does not name.
 */
export function strictOutcomeJsonSchema(): JsonSchema {
  const { properties } = outcomeJsonSchema();
  return strict(own(properties));
}

/** Rules that strict schemas do not know; what they say is checked when the answer is read. */
const NOT_STRICT = ["pattern", "minLength", "maxLength"];

function strict(properties: JsonSchema): JsonSchema {
  const fields = Object.entries(properties).map(([name, rule]) => [name, orNull(own(rule))]);
  return {
    type: "object",
    properties: Object.fromEntries(fields),
    required: Object.keys(properties),
    additionalProperties: false,
  };
}

function orNull(rule: JsonSchema): JsonSchema {
  const { type, properties, description } = rule;
  if (properties !== undefined) return { anyOf: [{ ...strict(own(properties)), description }, { type: "null" }] };
  if (type === undefined || type === "object") return { type: ["string", "null"], description: `${description} JSON as text.` };
  const known = Object.entries(rule).filter(([name]) => !NOT_STRICT.includes(name) && name !== "enum");
  const choice = Array.isArray(rule["enum"]) ? { enum: [...rule["enum"], null] } : {};
  return { ...Object.fromEntries(known), ...choice, type: [type, "null"] };
}

function own(value: unknown): JsonSchema {
  return typeof value === "object" && value !== null ? (value as JsonSchema) : {};
}
