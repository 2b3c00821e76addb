import { JSON_DEPTH_MAX } from "../json/json.ts";

/** A job file's greatest size. A file that anyone reviews in a diff is far smaller; past this something is leaking into it. */
export const JOB_FILE_BYTES_MAX = 4 * 1024 * 1024;

/**
 * Of that, what only the write that ends a job may use. A history that filled a file up, as an outage of weeks with a tick a
 * minute does, must not keep the job from being cancelled, completed or exhausted.
 */
export const ENDING_BYTES = 64 * 1024;

/** A checkpoint's greatest size as it stands in a file, so that four generations of it would still fit beside its receipts. */
export const CHECKPOINT_BYTES_MAX = 1024 * 1024;

/** How deep a checkpoint may nest (contract §2). */
export const CHECKPOINT_DEPTH_MAX = JSON_DEPTH_MAX;

/** How deep the whole file may nest: a checkpoint at its limit, inside the job, with room for receipts that quote one. */
export const JOB_DEPTH_MAX = CHECKPOINT_DEPTH_MAX + 8;

/** One year: the longest backoff, backoff cap and lease. */
export const SECONDS_MAX = 31_536_000;

export const ATTEMPTS_MAX = 1_000_000;

/** A prompt's greatest size in UTF-8: far past any that a person wrote, and sixteen of them still fit a job file's limit. */
export const INSTRUCTIONS_BYTES_MAX = 64 * 1024;

/** What went wrong, or what has to happen, in characters: a line or two; a log belongs elsewhere. */
export const DETAIL_CHARACTERS_MAX = 4_000;
