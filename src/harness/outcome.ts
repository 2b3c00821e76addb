import { errnoOf } from "../errors/io-error.ts";
import { JobError } from "../errors/job-error.ts";
import { readBoundedFile } from "../facts/read-bounded-file.ts";
import { parseDuration } from "../job/duration.ts";
import { requireCheckpointWithinLimits } from "../job/file/parse-job.ts";
import { BLOCKER_KINDS } from "../job/job.ts";
import { isJobId } from "../job/job-id.ts";
import { CHECKPOINT_BYTES_MAX, DETAIL_CHARACTERS_MAX, JOB_DEPTH_MAX } from "../job/limits.ts";
import { parseTime } from "../job/time.ts";
import { decodeText } from "../json/decode-text.ts";
import { isDeeperThan, isJsonObject, isRawNumber, type Json, type JsonObject } from "../json/json.ts";
import { parseLossless } from "../json/lossless-json.ts";
import { parseJson } from "../json/parse-json.ts";
import { z } from "../json/zod.ts";

/** What an outcome may weigh: a checkpoint at its limit, twice, for the spaces that a program puts between. */
export const OUTCOME_BYTES_MAX = 2 * CHECKPOINT_BYTES_MAX;

/** A million dollars for one run is a mistake of units. */
const COST_USD_MAX = 1_000_000;

/** Fields that a program says of itself, as numbers that count by value. */
const USE_FIELDS: readonly string[] = ["tokens_used", "cost_usd"];

/** What a run leaves of itself (contract §11). All of it may be left out. The descriptions are for models that are asked for it. */
export const buildOutcomeSchema = () => {
  const TOKENS_RULE = "must be a whole number";
  const COST_RULE = "must be an amount in US dollars";
  const DETAIL_RULE = `must be text of 1 to ${DETAIL_CHARACTERS_MAX} characters`;
  const detail = z.string(DETAIL_RULE).check(z.minLength(1, DETAIL_RULE), z.maxLength(DETAIL_CHARACTERS_MAX, DETAIL_RULE));
  return z.strictObject(
    {
      checkpoint: z.exactOptional(
        z
          .custom<JsonObject>(isJsonObject, "must be an object")
          .check(z.describe("Where the work stands now, whole: the next attempt is given this and nothing else.")),
      ),
      tokens_used: z.exactOptional(z.int(TOKENS_RULE).check(z.gte(0, TOKENS_RULE))),
      cost_usd: z.exactOptional(z.number(COST_RULE).check(z.gte(0, COST_RULE), z.lte(COST_USD_MAX, COST_RULE))),
      next_wake_at: z.exactOptional(
        z.string("must be a time").check(
          z.refine((text) => parseTime(text) !== undefined, "must be a time that exists"),
          z.describe("When to be woken again, RFC 3339. Left out, it is soon."),
        ),
      ),
      in: z.exactOptional(
        z.string("must be a length of time").check(
          z.refine((text) => parseDuration(text) !== undefined, "must be like 30m or 2d"),
          z.describe("When to be woken again, counted from now, like 30m or 2d; instead of next_wake_at."),
        ),
      ),
      result: z.exactOptional(
        z.unknown().check(z.describe('Only when the whole work is over and its page is pushed, like {"kind": "report"}.')),
      ),
      result_address: z.exactOptional(
        z
          .string("must be the id of a page")
          .check(
            z.refine(isJobId, "must be the id of a page"),
            z.describe("The id of the result's page, where it is not the one that the job names."),
          ),
      ),
      blocker: z.exactOptional(
        z
          .strictObject(
            {
              kind: z.enum(BLOCKER_KINDS, `must be ${BLOCKER_KINDS.join(" or ")}`),
              detail: detail.check(z.describe("What has to happen, and who can do it.")),
            },
            "must be an object with kind and detail",
          )
          .check(z.describe("When only a person, or something outside, can let the work go on.")),
      ),
      fail: z.exactOptional(detail.check(z.describe("Why this run came to nothing. The checkpoint then stays as it was."))),
    },
    "must be a JSON object",
  );
};

export type Outcome = Readonly<z.infer<ReturnType<typeof buildOutcomeSchema>>>;

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
        return broken(`is ${content.size} bytes; at most ${OUTCOME_BYTES_MAX} are read. Keep bulk data in the repository`);
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
  const read = readJson(text);
  return typeof read === "string" ? broken(read) : checkOutcome(read.json);
}

/**
 * Checks what claims to be an outcome. A field that is null was not given, and a checkpoint may be an object as text: models
 * that answer by a strict schema have to fill every field, and may leave no object open.
 */
export function checkOutcome(value: Json): ReadOutcome {
  if (!isJsonObject(value)) return broken("is no JSON object");
  if (isDeeperThan(value, JOB_DEPTH_MAX)) return broken(TOO_DEEP);
  const given = Object.entries(value).filter(([name, member]) => member !== null && name !== "$schema");
  const { success, data, error } = buildOutcomeSchema().safeParse(Object.fromEntries(given.map(asMeant)));
  if (!success) {
    const issue = error.issues[0];
    const path = issue?.path.map(String) ?? [];
    if (issue?.code === "unrecognized_keys") {
      return broken(`has unknown keys: ${issue.keys.map((key) => [...path, key].join(".")).join(", ")}`);
    }
    return broken(`is wrong: ${path.join(".")} ${issue?.message ?? "cannot be that"}`);
  }
  const why = whyNot(data);
  return why === undefined ? { kind: "outcome", outcome: data } : broken(why);
}

function asMeant([name, member]: [string, Json]): [string, unknown] {
  if (USE_FIELDS.includes(name) && isRawNumber(member)) return [name, Number(member.rawJSON)];
  if (name !== "checkpoint" || typeof member !== "string") return [name, member];
  const read = readJson(member);
  return [name, typeof read === "string" ? member : read.json];
}

/** What no single field shows. */
function whyNot({ checkpoint, next_wake_at, in: span, blocker, result, fail }: Outcome): string | undefined {
  if (next_wake_at !== undefined && span !== undefined) return "has both next_wake_at and in; one of them is enough";
  if (blocker !== undefined && result !== undefined) return "has both a blocker and a result; the work is over or it is stopped";
  if (fail !== undefined && (checkpoint ?? blocker ?? result) !== undefined)
    return "has fail, which gives the attempt up, beside a checkpoint, a blocker or a result";
  try {
    if (checkpoint !== undefined) requireCheckpointWithinLimits(checkpoint, "the outcome");
    return undefined;
  } catch (error) {
    if (!(error instanceof JobError)) throw error;
    return `cannot be taken: ${error.message}`;
  }
}

const TOO_DEEP = `nests deeper than ${JOB_DEPTH_MAX} levels; flatten it`;

function readJson(text: string): { readonly json: Json } | string {
  const body = text.replace(/^\uFEFF/, "");
  try {
    // The exact parse walks in recursion, so the depth is looked at first.
    return isDeeperThan(parseJson(body), JOB_DEPTH_MAX) ? TOO_DEEP : { json: parseLossless(body) };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return `is not JSON: ${error.message}`;
  }
}

function broken(why: string): ReadOutcome {
  return { kind: "broken", why };
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
}
