import { parseTime, type Seconds } from "../job/time.ts";

const UNITS = [
  ["d", 86_400],
  ["h", 3_600],
  ["m", 60],
  ["s", 1],
] as const;

/** How far off a moment is, in its greatest unit: `now`, `in 15m`, `3h ago`, `in 2d`. Empty for no time. */
export function relativeTime(time: string | null, now: Seconds): string {
  const moment = time === null ? undefined : parseTime(time);
  if (moment === undefined) return "";
  const away = Math.abs(moment - now);
  const [unit, size] = UNITS.find(([, seconds]) => away >= seconds) ?? ["s", 1];
  if (away < 1) return "now";
  const length = `${Math.floor(away / size)}${unit}`;
  return moment > now ? `in ${length}` : `${length} ago`;
}
