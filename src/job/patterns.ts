/** The forms of a job's text fields (contract §2). */

/** A caller's name for one job, for its life; also its file's name and its page's, so it never holds a path. */
export const JOB_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{7,79}$/;

export const OWNER_CLAIM = /^[A-Z][A-Z0-9_]{1,31}$/;

export const HARNESS = /^[ -~]{1,200}$/;

/** One line, by every line break that Unicode knows. */
export const OBJECTIVE = /^[^\r\n\v\f\u0085\u2028\u2029]{1,1000}$/u;

/** Empty for none, or an id like a job's. */
export const RESULT_ADDRESS = /^(?:|[A-Za-z0-9][A-Za-z0-9._-]{7,79})$/;

export const SHA256 = /^[0-9a-f]{64}$/;

/** The first 16 digits of a sha256: what `_fp` fields hold. */
export const SHORT_FINGERPRINT = /^[0-9a-f]{16}$/;
