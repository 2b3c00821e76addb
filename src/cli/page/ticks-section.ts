import { formatTime, type Seconds } from "../../job/time.ts";
import type { KnownWake, TickHistory } from "../../report/tick-history.ts";
import { relativeTime } from "../relative-time.ts";
import { type Html, html, NOTHING } from "./html.ts";
import { numberWords } from "./spent-bar.ts";
import { scaleMarks, timeScale } from "./time-scale.ts";

const WINDOW_SECONDS = 7 * 86_400;

/** A tick a minute for a week is ten thousand marks, more than there are pixels. */
const MARKS_MAX = 2_000;

const LATEST_MAX = 5;
const HEIGHT = 40;

/** When ticks came in the last week, and how late they woke what was due: as far as job files tell. */
export function ticksSection({ passes, wakes }: TickHistory, now: Seconds): Html {
  const from = now - WINDOW_SECONDS;
  const recent = passes.filter((at) => at >= from && at <= now);
  const last = passes.findLast((at) => at <= now);
  const known = wakes.filter(({ at }) => at >= from && at <= now).sort((a, b) => lateness(b) - lateness(a));
  return html`<section aria-labelledby="ticks"><h2 id="ticks">Ticks</h2>
<p>${lastWords(last, now)} ${lateWords(known)}</p>
${recent.length === 0 ? NOTHING : drawing(recent, from, now)}
<p class="quiet">From receipts alone: a tick that found nothing to do leaves none.</p>
${known.length === 0 ? NOTHING : latestTable(known.slice(0, LATEST_MAX))}</section>
`;
}

function lastWords(last: Seconds | undefined, now: Seconds): string {
  if (last === undefined) return "No job file tells of a tick.";
  const time = formatTime(last);
  return `The last tick that moved a job came ${relativeTime(time, now)}, at ${time}.`;
}

function lateWords(known: readonly KnownWake[]): string {
  const latest = known[0];
  const middle = known[known.length >> 1];
  if (latest === undefined || middle === undefined) return "Nothing tells how late ticks were in the last week.";
  const wakes = known.length === 1 ? "1 wake" : `${numberWords(known.length)} wakes`;
  return `Of ${wakes} in the last week whose due time is known, the middle one was ${lateText(middle)} late and the latest ${lateText(latest)}.`;
}

function lateness({ due, at }: KnownWake): number {
  return at - due;
}

function lateText(wake: KnownWake): string {
  const seconds = lateness(wake);
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7_200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`;
}

function drawing(recent: readonly Seconds[], from: Seconds, now: Seconds): Html {
  const scale = timeScale(from, now);
  const shown = [...new Set(recent.map((at) => scale.at(at)))].slice(-MARKS_MAX);
  const words = `${numberWords(recent.length)} ${recent.length === 1 ? "tick" : "ticks"} that moved a job, from ${formatTime(from)} to ${formatTime(now)}`;
  return html`<figure><svg role="img" width="100%" height="${HEIGHT}" aria-label="${words}">
${scaleMarks(scale).map(
  ({ at, label }) =>
    html`<line class="grid" x1="${scale.at(at)}%" x2="${scale.at(at)}%" y1="0" y2="24"/><text x="${scale.at(at)}%" y="37" text-anchor="middle">${label}</text>`,
)}${shown.map((x) => html`<line class="tick" x1="${x}%" x2="${x}%" y1="4" y2="20"/>`)}</svg><figcaption>${words}</figcaption></figure>`;
}

function latestTable(wakes: readonly KnownWake[]): Html {
  return html`<table><caption>The latest wakes of the last week</caption>
<thead><tr><th scope="col">Attempt</th><th scope="col">Due</th><th scope="col">Woken</th><th scope="col" class="number">Late</th></tr></thead>
<tbody>${wakes.map(
    (wake) =>
      html`<tr><th scope="row"><bdi>${wake.attempt_id}</bdi></th><td>${formatTime(wake.due)}</td><td>${formatTime(wake.at)}</td><td class="number">${lateText(wake)}</td></tr>
`,
  )}</tbody></table>`;
}
