import { formatTime, parseTime, type Seconds } from "../../job/time.ts";

/** Where moments stand on a drawing, from left to right, in percent of its width. */
export interface TimeScale {
  readonly from: Seconds;
  readonly to: Seconds;
  at(moment: Seconds): number;
}

/** The text at the left edge, and at the right the half of a label. */
const LEFT = 12;
const RIGHT = 96;

export function timeScale(from: Seconds, to: Seconds): TimeScale {
  const span = Math.max(1, to - from);
  return { from, to: from + span, at: (moment) => rounded(LEFT + ((RIGHT - LEFT) * (moment - from)) / span) };
}

/** Places in a file of thousands of drawings: a tenth of a pixel is enough. */
export function rounded(percent: number): number {
  return Math.round(percent * 100) / 100;
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const STEPS = [1, 5, 15, 30]
  .concat([1, 5, 15, 30].map((minutes) => minutes * MINUTE))
  .concat([1, 3, 6, 12].map((hours) => hours * HOUR))
  .concat([1, 2, 7, 14, 30, 90, 365, 3_650, 36_500].map((days) => days * DAY));

/** More would run into each other on a phone. */
const MARKS_MAX = 4;

export interface ScaleMark {
  readonly at: Seconds;
  readonly label: string;
}

/** Round moments on a scale, few enough to be labelled: by date where days lie between, by the hour below. */
export function scaleMarks({ from, to }: TimeScale): readonly ScaleMark[] {
  const step = STEPS.find((seconds) => (to - from) / seconds <= MARKS_MAX) ?? 1_000 * 365 * DAY;
  const marks: ScaleMark[] = [];
  for (let at = Math.ceil(from / step) * step; at <= to && marks.length <= MARKS_MAX; at += step) {
    marks.push({ at, label: labelOf(at, step) });
  }
  return marks;
}

function labelOf(at: Seconds, step: number): string {
  const time = formatTime(at);
  if (step >= 365 * DAY) return time.slice(0, 7);
  if (step >= DAY) return time.slice(5, 10);
  return step >= MINUTE ? time.slice(11, 16) : time.slice(11, 19);
}

/** The moment of a time as a record has it; undefined for none. */
export function maybeMoment(time: string | null | undefined): Seconds | undefined {
  return time === null || time === undefined ? undefined : parseTime(time);
}
