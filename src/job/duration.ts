const SECONDS_OF_UNIT = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 } as const;

/** A length of time in seconds: `45s`, `30m`, `1h30m`, `2d`, `1w`. Undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  if (!/^(?:\d{1,9}[smhdw])+$/.test(text)) return undefined;
  let seconds = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+)([smhdw])/g)) {
    seconds += Number(amount) * SECONDS_OF_UNIT[unit as keyof typeof SECONDS_OF_UNIT];
  }
  return seconds;
}
