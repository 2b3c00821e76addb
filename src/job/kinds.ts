import { isJsonObject } from "../json/json.ts";
import { z } from "../json/zod.ts";
import { BLOCKER_KINDS, STATUSES, type Status } from "./job.ts";
import { INSTRUCTIONS_BYTES_MAX } from "./limits.ts";
import { parseTime } from "./time.ts";

/**
 * What a field's value must be, said twice: as a schema with messages, and as a check that takes a tenth of its time. The
 * check may turn down what the schema takes, never the other way round; a property test holds the two together.
 */
export interface Kind {
  readonly name: "text" | "time" | "integer" | "seconds" | "flag" | "other";
  isPlain(value: unknown): boolean;
  /** Built only for a document that the check turned down: building it is felt in the start of a small tick. */
  schema(): z.ZodMiniType;
}

export function textLike(pattern: RegExp, rule: string): Kind {
  return {
    name: "text",
    isPlain: (value) => typeof value === "string" && pattern.test(value),
    schema: () => z.string(rule).check(z.regex(pattern, rule)),
  };
}

export function integer(least: number, most: number, name: "integer" | "seconds" = "integer"): Kind {
  const rule = `must be a whole number from ${least} to ${most}`;
  return {
    name,
    isPlain: (value) => typeof value === "number" && Number.isInteger(value) && value >= least && value <= most,
    schema: () => z.number(rule).check(z.int(rule), z.gte(least, rule), z.lte(most, rule)),
  };
}

const TIME_RULE = "must be a time that exists, like 2026-11-30T12:00:00Z";

/** As the program writes it, on the days that every month has: nearly every time that a tick reads. */
const PLAIN_TIME = /^[1-9]\d{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/;

export const time: Kind = {
  name: "time",
  isPlain: (value) => typeof value === "string" && (PLAIN_TIME.test(value) || parseTime(value) !== undefined),
  schema: () => z.string(TIME_RULE).check(z.refine((value) => parseTime(value) !== undefined, TIME_RULE)),
};

export const text: Kind = {
  name: "text",
  isPlain: (value) => typeof value === "string",
  schema: () => z.string("must be text"),
};

export const flag: Kind = {
  name: "flag",
  isPlain: (value) => typeof value === "boolean",
  schema: () => z.boolean("must be true or false"),
};

export const object: Kind = {
  name: "other",
  isPlain: isJsonObject,
  schema: () => z.custom(isJsonObject, "must be an object"),
};

export const anything: Kind = { name: "other", isPlain: () => true, schema: () => z.unknown() };

const PROMPT_RULE = `must be text of at most ${INSTRUCTIONS_BYTES_MAX} bytes`;

export const prompt: Kind = {
  name: "text",
  // A UTF-16 unit takes up to three bytes: what may be too long is left to the schema.
  isPlain: (value) => typeof value === "string" && value.length * 3 <= INSTRUCTIONS_BYTES_MAX,
  schema: () => z.string(PROMPT_RULE).check(z.refine((value) => Buffer.byteLength(value) <= INSTRUCTIONS_BYTES_MAX, PROMPT_RULE)),
};

const IS_STATUS: Readonly<Record<string, true>> = Object.fromEntries(STATUSES.map((status: Status) => [status, true]));

export const status: Kind = {
  name: "other",
  isPlain: (value) => typeof value === "string" && Object.hasOwn(IS_STATUS, value),
  schema: () => z.enum(STATUSES, `must be one of ${STATUSES.join(", ")}`),
};

export const lease: Kind = {
  name: "other",
  isPlain: (value) =>
    isJsonObject(value) && text.isPlain(value["lease_id"]) && text.isPlain(value["holder"]) && time.isPlain(value["until"]),
  schema: () =>
    z.looseObject({ lease_id: text.schema(), holder: text.schema(), until: time.schema() }, "must be an object or null"),
};

export const blocker: Kind = {
  name: "other",
  // Rare enough for the schema alone.
  isPlain: () => false,
  schema: () =>
    z.looseObject(
      {
        kind: z.enum(BLOCKER_KINDS, `must be ${BLOCKER_KINDS.join(" or ")}`),
        detail: text.schema(),
        fingerprint: text.schema(),
      },
      "must be an object or null",
    ),
};

const PREDICATE_RULE = "must be status_done, checkpoint_equals or result_address_on_head";
const PATH_RULE = "must be a dotted path into the checkpoint, like build.phase";

export const predicate: Kind = {
  name: "other",
  isPlain: (value) => isJsonObject(value) && (value["type"] === "status_done" || value["type"] === "result_address_on_head"),
  schema: () =>
    z.discriminatedUnion(
      "type",
      [
        z.looseObject({ type: z.literal("status_done") }),
        z.looseObject({
          type: z.literal("checkpoint_equals"),
          path: z.optional(z.string(PATH_RULE).check(z.regex(/^[^.]+(?:\.[^.]+)*$/, PATH_RULE))),
          value: z.custom((value) => value !== undefined, "must be given: the value that the checkpoint has to reach"),
        }),
        z.looseObject({ type: z.literal("result_address_on_head") }),
      ],
      PREDICATE_RULE,
    ),
};

export const receipts: Kind = {
  name: "other",
  isPlain: (value) => Array.isArray(value) && value.every(isPlainReceipt),
  schema: () =>
    z.array(
      z.looseObject({ attempt_id: text.schema(), event: text.schema(), ts: time.schema() }, "must be an object"),
      "must be an array of receipts",
    ),
};

function isPlainReceipt(value: unknown): boolean {
  return isJsonObject(value) && text.isPlain(value["attempt_id"]) && text.isPlain(value["event"]) && time.isPlain(value["ts"]);
}

/** The kind, or null. */
export function orNull(kind: Kind): Kind {
  return {
    name: kind.name,
    isPlain: (value) => value === null || kind.isPlain(value),
    schema: () => z.nullable(kind.schema()),
  };
}
