import type { ErrorKind } from "../error-kind.ts";

/**
 * Why a run of an agent failed: what can go wrong with its model, and
 *
 * - max_turns: it used up its turns
 * - session_gone: the agent does not know the session, or another process works in it; no model was asked
 * - no_answer: it ended without the record that closes a run, whatever its exit code
 * - agent: the agent itself failed, or was called as it cannot be
 */
export type AgentErrorKind = ErrorKind | "max_turns" | "session_gone" | "no_answer" | "agent";

export interface AgentError {
  readonly kind: AgentErrorKind;
  /** In the agent's own words; may hold what its API sent. */
  readonly message: string;
}

/** What each kind means to the one who reads it, and what helps. */
export const MEANINGS = {
  auth: "the API refused the key, or its account has no money left; a person must see to that",
  rate_limit: "the API allows no more requests for now; the job is tried again later",
  refused: "the model or its API will not do what was asked; change the instructions",
  context: "the request is larger than the model takes; a smaller checkpoint or a fresh session helps",
  budget: "the job's budget is used up",
  network: "no usable answer came from the API",
  server: "the API failed or is overloaded; the job is tried again later",
  max_turns: "it used up its turns; allow more, or ask for less in one run",
  session_gone: "the session of the checkpoint is not there any more, or in use",
  no_answer: "it ended without its closing record, so nothing shows that it did its work",
  agent: "the agent itself failed",
} as const satisfies Record<AgentErrorKind, string>;

const MESSAGE_CHARACTERS_MAX = 1_000;

/** The sentence for the attempt's history. */
export function sayAgentError(agent: string, { kind, message }: AgentError): string {
  const words = message.length <= MESSAGE_CHARACTERS_MAX ? message : `${message.slice(0, MESSAGE_CHARACTERS_MAX)}…`;
  return `${agent} failed (${kind}): ${MEANINGS[kind]}.${words === "" ? "" : ` It says: ${words}`}`;
}
