/**
 * Every way in which harness-wake fails. What the contract foresees is an answer instead, never one of these.
 *
 * - wrong use: SCHEMA (a field or argument is not what it must be), USAGE (the call itself), CONFIG (harness-wake.json)
 * - one job's file: CORRUPT, TOO_LARGE, and SCHEMA for a field of it
 * - the environment: CONFLICT, TRUTH_UNAVAILABLE, LOCK_UNAVAILABLE, IO; with a git store also REMOTE_UNAVAILABLE, and
 *   PUSH_REFUSED for a remote that will never take our push
 */
export type JobErrorCode =
  | "SCHEMA"
  | "USAGE"
  | "CONFIG"
  | "CORRUPT"
  | "TOO_LARGE"
  | "CONFLICT"
  | "TRUTH_UNAVAILABLE"
  | "LOCK_UNAVAILABLE"
  | "IO"
  | "REMOTE_UNAVAILABLE"
  | "PUSH_REFUSED";

export interface JobErrorDetails {
  /** The file at fault, as the user would name it. */
  readonly file?: string;
  /** The field at fault, dotted: `lease.until`. */
  readonly field?: string;
  readonly cause?: unknown;
}

/** An error written for the person who reads it: its message says what was wrong, where, and what to do. */
export class JobError extends Error {
  readonly code: JobErrorCode;
  readonly file: string | undefined;
  readonly field: string | undefined;

  constructor(code: JobErrorCode, message: string, details: JobErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = "JobError";
    this.code = code;
    this.file = details.file;
    this.field = details.field;
  }
}
