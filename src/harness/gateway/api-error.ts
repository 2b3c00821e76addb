import type { ErrorKind } from "../error-kind.ts";

/** An error as an API tells it, in a body or in an event of a stream. */
export interface ApiError {
  /** The HTTP status; undefined inside a stream. */
  readonly status: number | undefined;
  /** `error.code` where there is one, since it says more, else `error.type`; "" where neither is there. */
  readonly code: string;
  readonly message: string;
}

/** The codes and types of all three APIs that say more than the status does. */
const KINDS: ReadonlyMap<string, ErrorKind> = new Map([
  ["authentication_error", "auth"],
  ["permission_error", "auth"],
  ["billing_error", "auth"],
  ["invalid_api_key", "auth"],
  ["insufficient_quota", "auth"],
  ["rate_limit_error", "rate_limit"],
  ["rate_limit_exceeded", "rate_limit"],
  ["overloaded_error", "server"],
  ["server_error", "server"],
  ["api_error", "server"],
  ["timeout_error", "server"],
  ["context_length_exceeded", "context"],
  ["request_too_large", "context"],
]);

/** Not every API has a code for a prompt that is too long: Messages says it in words, under invalid_request_error. */
const TOO_LONG = /prompt is too long|context (?:window|length)|maximum context/i;

/** Which kind of error this is. Its message is looked at and never kept. */
export function kindOfError({ status, code, message }: ApiError): ErrorKind {
  const kind = KINDS.get(code);
  if (kind !== undefined) return kind;
  if (status === 413 || TOO_LONG.test(message)) return "context";
  if (status === undefined) return "server";
  if (status === 401 || status === 402 || status === 403) return "auth";
  if (status === 429) return "rate_limit";
  return status >= 500 ? "server" : "refused";
}
