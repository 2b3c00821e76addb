import type { ServerResponse } from "node:http";
import type { ErrorKind } from "../error-kind.ts";

/** Why the gateway told the agent to end. */
export interface Refusal {
  readonly kind: ErrorKind;
  /** For people; the agent shows it as its own error. Holds no key, no token and no content. */
  readonly message: string;
}

/**
 * Answers so that the agent ends at once. Of all answers this one alone ends both Claude Code and Codex after a single
 * request; other statuses are tried again for up to three minutes. The header says the same to the APIs' own clients.
 */
export function sendRefusal(response: ServerResponse, { message }: Refusal): void {
  sendError(response, 400, "billing_error", message, { "x-should-retry": "false" });
}

/** Answers a call for which the API could not be reached. The agent tries again, as it does with the API itself. */
export function sendNoAnswer(response: ServerResponse, message: string): void {
  sendError(response, 502, "api_error", message);
}

/** Agents look for paths that not every API has, and go on without them. */
export function sendNoRoute(response: ServerResponse): void {
  sendError(response, 404, "not_found_error", "only calls of the API's models are forwarded");
}

/** In the form of Messages, which holds all that clients of the other two APIs read. */
function sendError(
  response: ServerResponse,
  status: number,
  type: string,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  const body = JSON.stringify({ type: "error", error: { type, message: `harness-wake: ${message}` } });
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(body);
}
