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
  if (moment === now) return "now";
  return moment > now ? `in ${lengthOfTime(moment - now)}` : `${lengthOfTime(now - moment)} ago`;
}

/** For how long something has been so: `for 3h`. Empty where no time says so, or one to come. */
export function ageWords(since: string | null, now: Seconds): string {
  const moment = since === null ? undefined : parseTime(since);
  return moment === undefined || moment > now ? "" : `for ${lengthOfTime(now - moment)}`;
}

function lengthOfTime(seconds: Seconds): string {
  const [unit, size] = UNITS.find(([, length]) => seconds >= length) ?? ["s", 1];
  return `${Math.floor(seconds / size)}${unit}`;
}
