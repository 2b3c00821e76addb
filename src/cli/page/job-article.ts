import type { Job } from "../../job/job.ts";
import type { Seconds } from "../../job/time.ts";
import { type FleetRow, nameOf } from "../../report/fleet-view.ts";
import type { JobView } from "../../report/job-view.ts";
import type { Need } from "../../report/need.ts";
import { type AttemptTimeline, type Timeline, type TimelineEvent, timelineOf } from "../../report/timeline.ts";
import type { SeenJob } from "../fleet-rows.ts";
import { costWords, nextWords } from "../fleet-table.ts";
import { relativeTime } from "../relative-time.ts";
import { type Content, type Html, html, NOTHING } from "./html.ts";
import { spentBar, spentWords } from "./spent-bar.ts";
import { timelineDrawing } from "./timeline-drawing.ts";

/** One job file: what it needs of a person, how it stands, its timeline, and what its receipts say. */
export function jobArticle({ row, job }: SeenJob, now: Seconds): Html {
  if (row.state === "broken" || job === undefined) return article(row, [needNote(row.need)]);
  const timeline = timelineOf(job);
  return article(row, [
    html`<p dir="auto">${row.objective}</p>`,
    needNote(row.need),
    facts(row, now),
    timelineDrawing(job, timeline.attempts, now),
    history(job, timeline, now),
  ]);
}

function article(row: FleetRow, content: readonly Html[]): Html {
  const id = row.job_id === null ? NOTHING : html` id="job-${row.job_id}"`;
  return html`<article class="job"${id}>
<h3><bdi>${nameOf(row)}</bdi> <span class="${signalOf(row)}">${row.need === null ? "" : "! "}${row.state}</span></h3>
${content}</article>
`;
}

/** A colour besides the words, as in a terminal's table. */
export function signalOf({ need, state }: Pick<FleetRow, "need" | "state">): string {
  if (need !== null) return "alarm";
  if (state === "working" || state === "offered") return "good";
  return state === "due" || state === "mail owed" || state === "lapsed" ? "caution" : "quiet";
}

function needNote(need: Need | null): Html {
  if (need === null) return NOTHING;
  return html`<div class="need"><p dir="auto">${need.why}</p><p><b>To do:</b> <bdi>${need.remedy}</bdi></p></div>
`;
}

function facts(row: JobView, now: Seconds): Html {
  const { since, holder, lease_until, attempt_count, max_attempts, tokens_used, budget_tokens, cost_usd } = row;
  const spent = html`${spentBar(tokens_used, budget_tokens)}${spentWords(tokens_used, budget_tokens)}`;
  return html`<dl>${[
    fact("Since", since === null ? "" : moment(since, now)),
    fact("Next", nextWords(row, now)),
    fact("Held by", holder === null || lease_until === null ? "" : html`<bdi>${holder}</bdi> until ${moment(lease_until, now)}`),
    fact("Owner", row.owner_claim),
    fact("Harness", html`<bdi>${row.harness}</bdi>`),
    fact("Attempts", `${attempt_count} of ${max_attempts}`),
    fact("Tokens", spent),
    fact("Cost", costWords(cost_usd)),
    fact("Deadline", moment(row.deadline, now)),
    fact("Status", row.status),
  ]}</dl>
`;
}

function fact(name: string, value: Content): Html {
  return value === "" ? NOTHING : html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
}

function moment(time: string, now: Seconds): Html {
  return html`<time datetime="${time}">${time}</time> (${relativeTime(time, now)})`;
}

/** A job file of 4 MiB holds tens of thousands; the last ones tell how a job stands. Observations may not crowd out attempts. */
const ATTEMPT_EVENTS_MAX = 60;
const OTHER_EVENTS_MAX = 20;

function history({ job_id }: Job, { attempts, others }: Timeline, now: Seconds): Html {
  const ofAttempts = attempts.flatMap((attempt) => attemptEvents(attempt, job_id));
  const all = ofAttempts.length + others.length;
  if (all === 0) return NOTHING;
  const shown = [
    ...ofAttempts.slice(-ATTEMPT_EVENTS_MAX),
    ...others.slice(-OTHER_EVENTS_MAX).map((event) => ({ ...event, of: "" })),
  ];
  const left = all - shown.length;
  const rest =
    left === 0 ? NOTHING : html`<p class="quiet">${left} before are left out; harness-wake show ${job_id} has them all</p>`;
  return html`<details><summary>History of <bdi>${job_id}</bdi></summary>${rest}
<table class="history"><thead><tr><th scope="col">Attempt</th><th scope="col">When</th><th scope="col">What</th></tr></thead><tbody>
${shown.map((event) => eventRow(event, now))}</tbody></table></details>`;
}

type ShownEvent = TimelineEvent & { readonly of: string };

function attemptEvents({ attempt_id, events }: AttemptTimeline, jobId: string): readonly ShownEvent[] {
  const of = attempt_id.slice(jobId.length + 1);
  return events.map((event) => ({ ...event, of }));
}

function eventRow({ of, at, event, count, detail }: ShownEvent, now: Seconds): Html {
  const times = count === 1 ? "" : `, ${count} times so far`;
  const words = detail === "" ? NOTHING : html`: <bdi>${detail}</bdi>`;
  return html`<tr><td>${of}</td><td>${moment(at, now)}</td><td><bdi>${event}</bdi>${times}${words}</td></tr>
`;
}
