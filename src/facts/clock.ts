/** The one place that takes the time. Everything else is handed a moment, so that a pass decides all its jobs at one. */
export interface Clock {
  /** Whole seconds since 1970-01-01T00:00:00Z. */
  now(): number;
  /** Milliseconds that only ever grow; for time-outs, since the wall clock can jump. */
  monotonic(): number;
}

export const systemClock: Clock = {
  now: () => Math.floor(Date.now() / 1000),
  // `performance` would load twelve modules of Node's for it, a tenth of a small tick.
  monotonic: () => Number(process.hrtime.bigint()) / 1e6,
};

/** A clock that stands at one moment: `--now`. Time-outs still run. */
export function clockAt(now: number): Clock {
  return { now: () => now, monotonic: systemClock.monotonic };
}
