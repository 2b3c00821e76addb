import type { Job } from "../../job/job.ts";
import { addSeconds, formatTime, type Seconds } from "../../job/time.ts";
import type { AttemptTimeline } from "../../report/timeline.ts";
import { type Html, html, NOTHING } from "./html.ts";
import { maybeMoment, rounded, scaleMarks, type TimeScale, timeScale } from "./time-scale.ts";

/** A job that lives long has hundreds of attempts; the last ones tell how it does. */
const ATTEMPTS_MAX = 12;

const LANE = 18;
const AXIS = 16;

/** The signs that drawings share; each has a form of its own, so that colour is never the only sign. */
export const SIGNS: Html = html`<svg class="defs" width="0" height="0" aria-hidden="true"><defs>
<path id="offer" class="sign" d="M-4 -4L4 0L-4 4Z"/>
<circle id="mail" class="sign" r="3.5"/>
<path id="failed-mail" class="sign bad" d="M-4 -4L4 4M4 -4L-4 4"/>
<path id="finish" class="sign" d="M-4 -4H4V4H-4Z"/>
<path id="fail" class="sign bad" d="M-4 -4H4V4H-4ZM-4 4L4 -4"/>
<path id="release" class="sign" d="M0 -5L5 0L0 5L-5 0Z"/>
</defs></svg>`;

const KEY: readonly (readonly [drawing: Html, words: string])[] = [
  [html`<use href="#offer" x="12" y="8"/>`, "offered"],
  [html`<use href="#mail" x="12" y="8"/>`, "mailed"],
  [html`<use href="#failed-mail" x="12" y="8"/>`, "mail failed"],
  [html`<rect class="lease" x="1" y="4" width="22" height="8"/>`, "lease"],
  [html`<rect class="claim" x="1" y="4" width="22" height="8"/>`, "claimed"],
  [html`<use href="#finish" x="12" y="8"/>`, "finished"],
  [html`<use href="#fail" x="12" y="8"/>`, "failed"],
  [html`<use href="#release" x="12" y="8"/>`, "taken back"],
  [html`<line class="now" x1="12" x2="12" y1="0" y2="16"/>`, "now"],
];

/** What the signs mean: once for the page. */
export function drawingKey(): Html {
  return html`<ul class="key">${KEY.map(
    ([drawing, words]) => html`<li><svg width="24" height="16" aria-hidden="true">${drawing}</svg>${words}</li>`,
  )}</ul>`;
}

/** An attempt with what is drawn of it. */
interface Lane {
  readonly attempt: AttemptTimeline;
  readonly lease: Bar | undefined;
  readonly claim: Bar | undefined;
}

interface Bar {
  readonly from: Seconds;
  readonly to: Seconds;
}

/** The last attempts of a job, a lane each, on one scale of time; nothing for a job that was never woken. */
export function timelineDrawing(job: Job, attempts: readonly AttemptTimeline[], now: Seconds): Html {
  const lanes = attempts.slice(-ATTEMPTS_MAX).map((attempt) => laneOf(job, attempt, now));
  const moments = lanes.flatMap(({ attempt, lease, claim }) =>
    [lease?.from, lease?.to, claim?.from, claim?.to, ...attempt.mails.map(({ at }) => maybeMoment(at))].filter(
      (moment) => moment !== undefined,
    ),
  );
  if (moments.length === 0) return NOTHING;
  const scale = timeScale(Math.min(...moments), Math.max(now, ...moments));
  const height = lanes.length * LANE + AXIS;
  const left = attempts.length - lanes.length;
  const words = `${lanes.length} ${lanes.length === 1 ? "attempt" : "attempts"} from ${formatTime(scale.from)} to ${formatTime(scale.to)}`;
  return html`<figure>
<svg role="img" width="100%" height="${height}" aria-label="Timeline: ${words}. The history below says the same.">
${axis(scale, height, now)}${lanes.map((lane, i) => laneDrawing(lane, i, scale, job.job_id))}</svg>
<figcaption>${words}${left === 0 ? "" : `; ${left} before are not drawn`}</figcaption>
</figure>`;
}

function laneOf(job: Job, attempt: AttemptTimeline, now: Seconds): Lane {
  const offered = maybeMoment(attempt.offered_at);
  const claimed = maybeMoment(attempt.claimed_at);
  const ended = maybeMoment(attempt.ended_at);
  const start = offered ?? claimed;
  if (start === undefined) return { attempt, lease: undefined, claim: undefined };
  const lastStart = maybeMoment(attempt.renewed_at) ?? claimed ?? start;
  // A lease that is over is told by nobody: it was as long as the job says now, or until the attempt ended.
  const until =
    maybeMoment(attempt.lease_until) ?? Math.min(ended ?? Number.POSITIVE_INFINITY, addSeconds(lastStart, job.lease_seconds));
  const end = ended ?? Math.max(claimed ?? start, Math.min(now, until));
  return {
    attempt,
    lease: { from: Math.min(start, until), to: until },
    claim: claimed === undefined ? undefined : { from: Math.min(claimed, end), to: end },
  };
}

function axis(scale: TimeScale, height: number, now: Seconds): Html {
  const bottom = height - AXIS;
  const marks = scaleMarks(scale).map(({ at, label }) => {
    const x = scale.at(at);
    return html`<line class="grid" x1="${x}%" x2="${x}%" y1="0" y2="${bottom}"/><text x="${x}%" y="${height - 3}" text-anchor="middle">${label}</text>`;
  });
  const x = scale.at(now);
  return html`${marks}<line class="now" x1="${x}%" x2="${x}%" y1="0" y2="${bottom}"/>`;
}

function laneDrawing({ attempt, lease, claim }: Lane, index: number, scale: TimeScale, jobId: string): Html {
  const middle = index * LANE + LANE / 2;
  const number = attempt.attempt_id.slice(jobId.length + 1);
  return html`<text x="0" y="${middle + 4}">${number}</text>${bar(lease, "lease", middle, scale)}${bar(claim, "claim", middle, scale)}${[
    ...sign("offer", attempt.offered_at, middle, scale),
    ...attempt.mails.flatMap(({ at, isSent }) => sign(isSent ? "mail" : "failed-mail", at, middle, scale)),
    ...(attempt.ended_by === undefined ? [] : sign(ENDS[attempt.ended_by], attempt.ended_at, middle, scale)),
  ]}
`;
}

const ENDS = { ack: "finish", checkpoint: "finish", failed: "fail", release: "release" } as const;

const THICKNESS = { lease: 12, claim: 6 } as const;

/** Too short for a pixel is drawn as two. */
function bar(range: Bar | undefined, kind: keyof typeof THICKNESS, middle: number, scale: TimeScale): Html {
  if (range === undefined) return NOTHING;
  const x = scale.at(range.from);
  const width = Math.max(0.3, rounded(scale.at(range.to) - x));
  const height = THICKNESS[kind];
  return html`<rect class="${kind}" x="${x}%" y="${middle - height / 2}" width="${width}%" height="${height}"/>`;
}

function sign(id: string, time: string | undefined, middle: number, scale: TimeScale): readonly Html[] {
  const moment = maybeMoment(time);
  return moment === undefined ? [] : [html`<use href="#${id}" x="${scale.at(moment)}%" y="${middle}"/>`];
}
