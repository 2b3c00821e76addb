/** How one reading of a host ended. */
export interface Ending {
  /** Null where no answer came. */
  readonly http_status: number | null;
  /** Undefined for a reading that ended as it should. */
  readonly error: string | undefined;
  /** It refuses, and will until somebody changes something. */
  readonly isFinal: boolean;
  readonly retryAfterMs: number | undefined;
}

const REST_MS_FIRST = 1_000;
const REST_MS_MOST = 60_000;

/** For a host that refuses for good: somebody may mend its access while the harness runs. */
const REST_MS_REFUSED = 300_000;

/** What a proxy asks for is honoured up to here; past it a harness would be deaf for a day by one bad header. */
const RETRY_AFTER_MS_MAX = 3_600_000;

/** How long to leave a host alone: longer with every reading in a row that gave nothing, and never in step with others. */
export function restAfter(ending: Ending, failures: number): { readonly leastMs: number; readonly mostMs: number } {
  const growing = Math.min(REST_MS_FIRST * 2 ** failures, REST_MS_MOST);
  const asked = askedMs(ending.retryAfterMs ?? 0);
  const leastMs = Math.max(ending.isFinal ? REST_MS_REFUSED : growing / 2, asked);
  return { leastMs, mostMs: leastMs + growing / 2 };
}

/** A Retry-After that gives no number of seconds asks for patience, not for an hour of it. */
function askedMs(retryAfterMs: number): number {
  return Number.isFinite(retryAfterMs) ? Math.min(retryAfterMs, RETRY_AFTER_MS_MAX) : REST_MS_MOST;
}
