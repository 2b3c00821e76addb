import { formatTime, type Seconds } from "../../job/time.ts";
import { policyHashOf } from "../../json/fingerprint.ts";
import { byUrgency, type FleetRow, sumsOf } from "../../report/fleet-view.ts";
import { STATES, type State } from "../../report/job-state.ts";
import { tickHistoryOf } from "../../report/tick-history.ts";
import type { SeenJob } from "../fleet-rows.ts";
import { type Html, html, NOTHING } from "./html.ts";
import { jobArticle, signalOf } from "./job-article.ts";
import { PAGE_STYLE } from "./page-style.ts";
import { numberWords } from "./spent-bar.ts";
import { spentSection } from "./spent-section.ts";
import { ticksSection } from "./ticks-section.ts";
import { drawingKey, SIGNS } from "./timeline-drawing.ts";

export interface PageFacts {
  readonly now: Seconds;
  /** Which store it shows, for people. */
  readonly place: string;
}

/**
 * A fleet as one self-contained HTML page (contract §14): no script, and nothing that is loaded from elsewhere. Pure. Its
 * policy forbids both, should a text from a job file ever get past the escaping.
 */
export function fleetPage(seen: readonly SeenJob[], { now, place }: PageFacts): string {
  const sorted = byUrgency(seen);
  const rows = sorted.map(({ row }) => row);
  const needing = sorted.filter(({ row }) => row.need !== null);
  const others = sorted.filter(({ row }) => row.need === null);
  const jobs = seen.flatMap(({ job }) => (job === undefined ? [] : [job]));
  const views = rows.filter((row) => row.state !== "broken");
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${headline(rows)}</title>
<link rel="icon" href="data:,">
<style>${PAGE_STYLE}</style>
</head>
<body>
${SIGNS}
<header><h1>${headline(rows)}</h1>
<p class="quiet"><bdi>${place}</bdi>, as of <time datetime="${formatTime(now)}">${formatTime(now)}</time></p>
<nav aria-label="On this page"><ul>${LINKS.map(([id, words]) => html`<li><a href="#${id}">${words}</a></li>`)}</ul></nav></header>
<main>
<section aria-labelledby="needs"><h2 id="needs">What needs a person</h2>
${drawingKey()}
${needing.length === 0 ? html`<p>Nothing does.</p>` : needing.map((one) => jobArticle(one, now))}</section>
${stateSection(rows, others)}
${ticksSection(tickHistoryOf(jobs), now)}
${spentSection(views)}
<section aria-labelledby="others"><h2 id="others">Jobs that go on by themselves</h2>
${others.length === 0 ? html`<p>There are none.</p>` : others.map((one, i) => html`${anchor(one, others[i - 1])}${jobArticle(one, now)}`)}</section>
</main>
</body>
</html>
`;
  return String(page);
}

const POLICY = `default-src 'none'; style-src '${policyHashOf(String(PAGE_STYLE))}'; img-src data:; base-uri 'none'; form-action 'none'`;

const LINKS = [
  ["needs", "What needs a person"],
  ["states", "States"],
  ["ticks", "Ticks"],
  ["spent", "Spent"],
  ["others", "All other jobs"],
] as const;

function headline(rows: readonly FleetRow[]): string {
  const { jobs, need_a_person } = sumsOf(rows);
  if (jobs === 0) return "No jobs";
  const need = need_a_person === 1 ? "needs" : "need";
  return `${numberWords(need_a_person)} of ${numberWords(jobs)} ${jobs === 1 ? "job" : "jobs"} ${need} a person`;
}

function stateSection(rows: readonly FleetRow[], others: readonly SeenJob[]): Html {
  const { by_state } = sumsOf(rows);
  const linked = new Set<State>(others.map(({ row }) => row.state));
  const lines = STATES.flatMap((state) => {
    const count = by_state[state];
    if (count === undefined) return [];
    const row = rows.find((one) => one.state === state);
    const signal = row === undefined ? "quiet" : signalOf(row);
    const name = linked.has(state)
      ? html`<a href="#${anchorOf(state)}">${state}</a>`
      : html`<span class="${signal}">${state}</span>`;
    const percent = Math.max(1, Math.round((100 * count) / rows.length));
    return [
      html`<tr><th scope="row">${name}</th><td class="number">${numberWords(count)}</td><td class="wide"><svg width="100%" height="12" aria-hidden="true"><rect class="bar" y="2" width="${percent}%" height="10"/></svg></td></tr>
`,
    ];
  });
  return html`<section aria-labelledby="states"><h2 id="states">The fleet by state</h2>
${lines.length === 0 ? html`<p>There are no jobs.</p>` : html`<table><thead><tr><th scope="col">State</th><th scope="col" class="number">Jobs</th><th scope="col" class="wide">Share</th></tr></thead><tbody>${lines}</tbody></table>`}</section>`;
}

/** Where a state begins among the other jobs. */
function anchor({ row }: SeenJob, before: SeenJob | undefined): Html {
  return before?.row.state === row.state ? NOTHING : html`<span id="${anchorOf(row.state)}"></span>`;
}

function anchorOf(state: State): string {
  return `state-${state.replaceAll(" ", "-")}`;
}
