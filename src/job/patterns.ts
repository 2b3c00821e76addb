/** The forms of a job's text fields (contract §2). */

/**
 * A caller's name for one job, for its life; also its file's name and its page's, so it never holds a path. Nor a name that
 * Windows keeps for a device, alone or before a dot, nor a dot at the end, which Windows drops.
 */
export const JOB_ID = /^(?!(?:con|prn|aux|nul|com[1-9]|lpt[1-9])\.)[a-z0-9][a-z0-9._-]{6,78}[a-z0-9_-]$/i;

export const JOB_ID_RULE =
  "8 to 80 letters, digits, dots, dashes or underscores, starting with a letter or digit, not ending in a dot, and no name that Windows keeps, like con or lpt1, before a dot";

export const OWNER_CLAIM = /^[A-Z][A-Z0-9_]{1,31}$/;

export const HARNESS = /^[ -~]{1,200}$/;

/** One line, by every line break that Unicode knows. */
export const OBJECTIVE = /^[^\r\n\v\f\u0085\u2028\u2029]{1,1000}$/u;

/** Empty for none, or an id like a job's. */
export const RESULT_ADDRESS = new RegExp(`^$|${JOB_ID.source}`, "i");

export const SHA256 = /^[0-9a-f]{64}$/;

/** The first 16 digits of a sha256: what `_fp` fields hold. */
export const SHORT_FINGERPRINT = /^[0-9a-f]{16}$/;
