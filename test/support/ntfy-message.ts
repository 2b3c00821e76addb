/** A message as ntfy caches it and sends it to subscribers. */
export interface NtfyMessage {
  readonly id: string;
  /** Unix seconds. */
  readonly time: number;
  readonly expires: number;
  readonly event: "message";
  readonly topic: string;
  readonly message: string;
  readonly title?: string;
  readonly tags?: readonly string[];
  readonly priority?: number;
  readonly attachment?: { readonly name: string; readonly type: string; readonly size: number; readonly url: string };
}

/** ntfy's own form of an error. */
export interface NtfyError {
  readonly code: number;
  readonly http: number;
  readonly error: string;
}

export function ntfyError(http: number, code: number, error: string): NtfyError {
  return { code, http, error };
}

/** Go has no durations in days. */
const SECONDS_OF_UNIT: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 };

/**
 * What of a topic's cache `since` asks for: an id, unix seconds, a duration, `all`, `latest` or `none`. Times are
 * inclusive, and an id that is not (or no longer) there asks for everything. Undefined for what ntfy refuses.
 */
export function since(cached: readonly NtfyMessage[], asked: string, now: number): readonly NtfyMessage[] | undefined {
  if (asked === "all") return cached;
  if (asked === "none") return [];
  if (asked === "latest") return cached.slice(-1);
  if (/^[A-Za-z0-9]{12}$/.test(asked)) return cached.slice(cached.findIndex(({ id }) => id === asked) + 1);
  if (/^\d+$/.test(asked)) return cached.filter(({ time }) => time >= Number(asked));
  const [, amount, unit] = /^(\d+)([smh])$/.exec(asked) ?? [];
  if (amount === undefined || unit === undefined) return undefined;
  return cached.filter(({ time }) => time >= now - Number(amount) * (SECONDS_OF_UNIT[unit] ?? 0));
}
