import type { AgentError, AgentErrorKind } from "../agents/agent-error.ts";

/** By name alone: the SDK is minified, so that its classes are of no use, and each copy of it has its own. */
const KIND_OF_NAME: Readonly<Record<string, AgentErrorKind>> = {
  AuthenticationError: "auth",
  RateLimitError: "rate_limit",
  NetworkError: "network",
  // No such model, or an option that it does not take; its message says which.
  ConfigurationError: "agent",
  IntegrationNotConnectedError: "agent",
  AgentBusyError: "agent",
  AgentNotFoundError: "agent",
};

/** What the SDK threw. */
export function thrownError(error: unknown): AgentError {
  if (!(error instanceof Error)) return { kind: "agent", message: String(error) };
  return { kind: KIND_OF_NAME[error.name] ?? kindOfWords(error.message), message: `${error.name}: ${error.message}` };
}

/** What a run ended with: there an error has no name. */
export function endedError(error: { readonly message: string; readonly code?: string } | undefined): AgentError {
  if (error === undefined) return { kind: "agent", message: "it ended with an error and did not say which" };
  const { message, code = "" } = error;
  return { kind: kindOfWords(`${code} ${message}`), message: code === "" ? message : `${code}: ${message}` };
}

function kindOfWords(words: string): AgentErrorKind {
  if (/unauthenticated|authenticat|invalid api key|permission_denied|\b40[13]\b/i.test(words)) return "auth";
  if (/rate.?limit|resource_exhausted|usage limit|\b429\b/i.test(words)) return "rate_limit";
  if (/failed to connect|key exchange|network|unavailable|ECONN|ENOTFOUND|EAI_AGAIN|timed? ?out|deadline_exceeded/i.test(words))
    return "network";
  if (/internal|\b50\d\b/i.test(words)) return "server";
  return "agent";
}
