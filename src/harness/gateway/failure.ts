import type { ErrorKind } from "../error-kind.ts";
import type { Refusal } from "./refusal.ts";

/** A call that the API did not answer as asked. */
export interface Failure {
  readonly kind: ErrorKind;
  /** As people are told: `HTTP 529`, `ECONNREFUSED`. */
  readonly what: string;
  /** Undefined where there was no answer, or it broke off. */
  readonly status?: number;
  /** How long the API asks to wait. */
  readonly retryAfterMs?: number | undefined;
}

/** Failures one after another, with no answer in between. */
export interface FailingSince {
  /** Monotonic ms of the first. */
  readonly sinceMs: number;
  readonly times: number;
}

/** Two failures may be hours apart, with nothing asked in between: they do not show that the API is down. */
const FAILURES_LEAST = 3;

export interface Judgement {
  readonly failing: FailingSince | null;
  /** Why the run must end; null where the agent may try again. */
  readonly refusal: Refusal | null;
}

/**
 * Whether a run may go on after a failure. Agents try again by themselves, some of them for ever. What a retry can mend is
 * left to them for `patienceMs` in a row; what it cannot mend ends the run.
 */
export function judgeFailure(failure: Failure, before: FailingSince | null, nowMs: number, patienceMs: number): Judgement {
  const { kind, what, status, retryAfterMs = 0 } = failure;
  switch (kind) {
    case "auth":
      // 403 is often about one model only, and the agent may get on without that one.
      if (status === 403) return { failing: before, refusal: null };
      return end(before, kind, `the API refused the worker's key, or its account (${what})`);
    case "rate_limit":
    case "server":
    case "network": {
      const failing = { sinceMs: before?.sinceMs ?? nowMs, times: (before?.times ?? 0) + 1 };
      const failedMs = nowMs - failing.sinceMs;
      if (failing.times >= FAILURES_LEAST && failedMs >= patienceMs) {
        return end(failing, kind, `the API has failed for ${seconds(failedMs)} (${what})`);
      }
      if (retryAfterMs > patienceMs) return end(failing, kind, `the API asks to wait ${waiting(retryAfterMs)} (${what})`);
      return { failing, refusal: null };
    }
    case "refused":
    case "context":
    case "budget":
      // The API answered, and the agent knows best what to do about it: it may shorten its prompt.
      return { failing: null, refusal: null };
  }
}

function end(failing: FailingSince | null, kind: ErrorKind, message: string): Judgement {
  return { failing, refusal: { kind, message } };
}

function waiting(ms: number): string {
  return Number.isFinite(ms) ? seconds(ms) : "until a later date";
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1000)} s`;
}
