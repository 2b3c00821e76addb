import { JobError, type JobErrorCode } from "../errors/job-error.ts";

/** What the process's exit code says (contract §9). */
export const EXIT = {
  /** Done, also when nothing woke. */
  done: 0,
  /** Done in part: an ERROR row, a FAILED delivery. */
  partly: 1,
  /** Wrong use or configuration; nothing was written. */
  usage: 2,
  /** Refused by the contract, with the code. */
  refused: 3,
  /** The environment failed and nothing could be decided; nothing is lost. */
  environment: 4,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

const EXIT_OF_ERROR = {
  SCHEMA: EXIT.usage,
  USAGE: EXIT.usage,
  CONFIG: EXIT.usage,
  CORRUPT: EXIT.refused,
  TOO_LARGE: EXIT.refused,
  CONFLICT: EXIT.environment,
  TRUTH_UNAVAILABLE: EXIT.environment,
  LOCK_UNAVAILABLE: EXIT.environment,
  IO: EXIT.environment,
  REMOTE_UNAVAILABLE: EXIT.environment,
  PUSH_REFUSED: EXIT.environment,
} as const satisfies Record<JobErrorCode, ExitCode>;

export function exitCodeOf(code: JobErrorCode): ExitCode {
  return EXIT_OF_ERROR[code];
}

/** What a thrown error would end the process with. An unknown one is a bug, and tells nothing of the command line. */
export function exitCodeOfError(error: unknown): ExitCode {
  return error instanceof JobError ? exitCodeOf(error.code) : EXIT.environment;
}
