import { isJsonObject, type Json, type JsonObject } from "../../json/json.ts";
import type { ErrorKind } from "../error-kind.ts";
import { type ApiError, kindOfError } from "./api-error.ts";
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
  return { ...answer, error: kindOfError(apiError(objectIn(event, "error") ?? event)) };
}

/** An error record as its API tells it; `status` where it came as an answer of its own. Some put the status into `code`. */
export function apiError(record: JsonObject, status?: number): ApiError {
  const { code, type, message } = record;
  return {
    status: status ?? (typeof code === "number" ? code : undefined),
    code: text(code) || text(type),
    message: text(message),
  };
}

function text(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}
