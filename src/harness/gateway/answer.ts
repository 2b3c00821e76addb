import { isJsonObject, type Json, type JsonObject } from "../../json/json.ts";
import { type ErrorKind, kindOfError } from "./error-kind.ts";
import { NO_TOKENS, type Tokens } from "./tokens.ts";

/** What an answer has told about itself so far. Its content is never kept. */
export interface Answer {
  readonly tokens: Tokens;
  /** Whether it told all its tokens; otherwise `tokens` is what is known at least. */
  readonly isCounted: boolean;
  /** The error that it ended in, though it began as a success; null for none. */
  readonly error: ErrorKind | null;
}

export const NOTHING_TOLD: Answer = { tokens: NO_TOKENS, isCounted: false, error: null };

/** Reads one event of a stream, or a whole body, into what is known of the answer. One for each API. */
export type UsageReader = (answer: Answer, value: JsonObject) => Answer;

export function objectIn(value: JsonObject, field: string): JsonObject | undefined {
  const found = value[field];
  return isJsonObject(found) ? found : undefined;
}

/** The answer with the error that an event tells: `{error: {…}}`, or its fields in the event itself. */
export function withError(answer: Answer, event: JsonObject): Answer {
  const error = objectIn(event, "error") ?? event;
  return { ...answer, error: kindOfError({ code: codeOf(error), message: text(error["message"]) }) };
}

/** What an error record calls itself; see ApiError.code. */
export function codeOf(error: JsonObject): string {
  return text(error["code"]) || text(error["type"]);
}

export function text(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}
