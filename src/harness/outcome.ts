import * as z from "zod/mini";
import { errnoOf } from "../errors/io-error.ts";
import { readBoundedFile } from "../facts/read-bounded-file.ts";
import { parseDuration } from "../job/duration.ts";
import { BLOCKER_KINDS } from "../job/job.ts";
import { isJobId } from "../job/job-id.ts";
import { CHECKPOINT_BYTES_MAX, CHECKPOINT_DEPTH_MAX, DETAIL_CHARACTERS_MAX } from "../job/limits.ts";
import { parseTime } from "../job/time.ts";
import { decodeText } from "../json/decode-text.ts";
import { isDeeperThan, isJsonObject, type JsonObject, numberText } from "../json/json.ts";
import { parseLossless } from "../json/lossless-json.ts";

// Without this, zod would probe for a compiler.
z.config({ jitless: true });

/** What an outcome may weigh: a checkpoint at its limit, twice, for the spaces that a program puts between. */
export const OUTCOME_BYTES_MAX = 2 * CHECKPOINT_BYTES_MAX;

/** A million dollars for one run is a mistake of units. */
const COST_USD_MAX = 1_000_000;

function numberRule(rule: string, isRight: (value: number) => boolean) {
  // Numbers keep their text, so one may come as an object that holds it.
  return z.custom<number>((value) => isRight(Number(numberText(value) ?? Number.NaN)), rule);
}

/** What a run leaves of itself (contract §11). All of it may be left out. */
const buildSchema = () =>
  z.strictObject({
    $schema: z.exactOptional(z.string()),
    checkpoint: z.exactOptional(z.custom<JsonObject>(isJsonObject, "must be an object")),
    tokens_used: z.exactOptional(numberRule("must be a whole number", (n) => Number.isSafeInteger(n) && n >= 0)),
    cost_usd: z.exactOptional(numberRule("must be an amount in US dollars", (n) => n >= 0 && n <= COST_USD_MAX)),
    next_wake_at: z.exactOptional(
      z.string("must be a time").check(z.refine((text) => parseTime(text) !== undefined, "must be a time that exists")),
    ),
    in: z.exactOptional(
      z.string("must be a length of time").check(z.refine((text) => parseDuration(text) !== undefined, "must be like 30m or 2d")),
    ),
    result: z.exactOptional(z.unknown()),
    result_address: z.exactOptional(z.string("must be the id of a page").check(z.refine(isJobId, "must be the id of a page"))),
    blocker: z.exactOptional(
      z.strictObject(
        {
          kind: z.enum(BLOCKER_KINDS, `must be ${BLOCKER_KINDS.join(" or ")}`),
          detail: z
            .string("must be text")
            .check(z.minLength(1, "must say what has to happen"), z.maxLength(DETAIL_CHARACTERS_MAX, "is too long")),
        },
        "must be an object with kind and detail",
      ),
    ),
    fail: z.exactOptional(z.string("must be text: why the run came to nothing")),
  });

export type Outcome = Readonly<z.infer<ReturnType<typeof buildSchema>>>;

export type ReadOutcome =
  /** The run left none. */
  | { readonly kind: "none" }
  | { readonly kind: "outcome"; readonly outcome: Outcome }
  /** It left something that is none; `why` says what is wrong, in words for the job's history. */
  | { readonly kind: "broken"; readonly why: string };

/** Reads what a run left in its outcome file, and trusts nothing of it: not its size, kind, text or values. */
export function readOutcome(path: string): ReadOutcome {
  try {
    const content = readBoundedFile(path, OUTCOME_BYTES_MAX);
    switch (content.kind) {
      case "not_regular":
        return broken("is no regular file");
      case "too_large":
        return broken(`is ${content.size} bytes; at most ${OUTCOME_BYTES_MAX} are read`);
      case "content":
        return content.bytes.every(isSpace) ? { kind: "none" } : parseOutcome(decodeText(content.bytes));
    }
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return { kind: "none" };
    if (errnoOf(error) === undefined) throw error;
    return broken(`cannot be read (${errnoOf(error)})`);
  }
}

/** The outcome that a text holds; `text` is undefined for bytes that are no text. */
export function parseOutcome(text: string | undefined): ReadOutcome {
  if (text === undefined) return broken("is not UTF-8");
  try {
    const value = parseLossless(text.replace(/^\uFEFF/, ""));
    return checkOutcome(value);
  } catch (error) {
    // A text that nests by the thousand ends the parser by another error.
    if (!(error instanceof SyntaxError) && !(error instanceof RangeError)) throw error;
    return broken(`is not JSON: ${error.message}`);
  }
}

/** Checks what claims to be an outcome. */
export function checkOutcome(value: unknown): ReadOutcome {
  if (isDeeperThan(value, CHECKPOINT_DEPTH_MAX)) return broken(`nests deeper than ${CHECKPOINT_DEPTH_MAX} levels`);
  const { success, data, error } = buildSchema().safeParse(value);
  if (!success) {
    const issue = error.issues[0];
    const field = issue?.path.map(String).join(".") || "the outcome";
    return broken(
      `${field} ${issue?.code === "unrecognized_keys" ? `has unknown keys: ${issue.keys.join(", ")}` : (issue?.message ?? "is wrong")}`,
    );
  }
  if (data.next_wake_at !== undefined && data.in !== undefined)
    return broken("has both next_wake_at and in; one of them is enough");
  if (data.blocker !== undefined && data.result !== undefined)
    return broken("has both a blocker and a result; the work is over or it is stopped");
  // zod's copy may have lost keys that look like the prototype; what was read is what counts.
  return { kind: "outcome", outcome: isJsonObject(value) ? { ...data, ...checkpointOf(value) } : data };
}

function checkpointOf(value: JsonObject): { readonly checkpoint?: JsonObject } {
  const checkpoint = value["checkpoint"];
  return isJsonObject(checkpoint) ? { checkpoint } : {};
}

function broken(why: string): ReadOutcome {
  return { kind: "broken", why };
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
}

/** The JSON Schema of an outcome, for agents that can be held to one. Fields that strict modes must have may be null there. */
export const OUTCOME_JSON_SCHEMA = {
  type: "object",
  additionalProperties: false,
  properties: {
    checkpoint: { type: "object", description: "Where the work stands now; the next attempt is given it." },
    result: { type: "object", description: 'Only when the work is over and its page is pushed, like {"kind": "report"}.' },
    in: { type: "string", description: "When to be woken again, like 30m or 2d." },
    blocker: {
      type: "object",
      additionalProperties: false,
      properties: { kind: { type: "string", enum: BLOCKER_KINDS }, detail: { type: "string" } },
      required: ["kind", "detail"],
      description: "When only a person can let the work go on.",
    },
    fail: { type: "string", description: "Why this run came to nothing." },
  },
} as const;
