/** How one reading of a host ended. */
export interface Ending {
  /** Null where no answer came. */
  readonly http_status: number | null;
  /** Undefined if the reading ended as it should. */
  readonly error: string | undefined;
  /** The host will refuse until somebody changes something. */
  readonly isFinal: boolean;
  readonly retryAfterMs: number | undefined;
}

const REST_MS_FIRST = 1_000;
const REST_MS_MOST = 60_000;

/** For a host that refuses: somebody may fix its access while the harness runs. */
const REST_MS_REFUSED = 300_000;

/** The longest Retry-After that is honoured. One bad header must not silence a harness for a day. */
const RETRY_AFTER_MS_MAX = 3_600_000;

/**
 * How long to wait before a host is read again: longer after each reading in a row that gave nothing. The span leaves room for
 * chance, so that readers do not return all at once.
 */
export function restAfter(ending: Ending, failures: number): { readonly leastMs: number; readonly mostMs: number } {
  const growing = Math.min(REST_MS_FIRST * 2 ** failures, REST_MS_MOST);
  const asked = askedMs(ending.retryAfterMs ?? 0);
  const leastMs = Math.max(ending.isFinal ? REST_MS_REFUSED : growing / 2, asked);
  return { leastMs, mostMs: leastMs + growing / 2 };
}

/** A Retry-After without a number of seconds counts as one minute. */
function askedMs(retryAfterMs: number): number {
  return Number.isFinite(retryAfterMs) ? Math.min(retryAfterMs, RETRY_AFTER_MS_MAX) : REST_MS_MOST;
}
