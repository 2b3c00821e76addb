import type { TickFacts } from "../job/decide.ts";
import type { Job } from "../job/job.ts";
import type { Seconds } from "../job/time.ts";
import { type JobView, viewOf } from "../report/job-view.ts";
import { type AttemptTimeline, type TimelineEvent, timelineOf } from "../report/timeline.ts";
import { costWords, nextWords } from "./fleet-table.ts";
import { relativeTime } from "./relative-time.ts";
import { type Line, line, type Screen } from "./styled-text.ts";
import { wrapped } from "./wrapped.ts";

const LABEL_CELLS = 14;

/** One job: how it stands, what its owner wants of it, and its receipts as a timeline. */
export function jobLines(job: Job, facts: TickFacts, { columns }: Screen): readonly Line[] {
  const view = viewOf(job, facts);
  const field = (label: string, value: string): readonly Line[] =>
    value === "" ? [] : labelled(label, wrapped(value, columns, " ".repeat(LABEL_CELLS)));
  return [
    ...wrapped(job.objective, columns, "").map((text) => line(text, "heading")),
    ...field("job", job.job_id),
    ...field("state", stateWords(view, facts.now)),
    ...field("why", view.need?.why ?? ""),
    ...field("to do", view.need?.remedy ?? ""),
    ...field("next", nextWords(view, facts.now)),
    ...field("lease", view.holder === null ? "" : `${view.holder} until ${view.lease_until}`),
    ...field("owner", job.owner_claim),
    ...field("harness", job.harness),
    ...field("next wake", `${view.next_wake_at} (${relativeTime(view.next_wake_at, facts.now)})`),
    ...field("deadline", `${view.deadline} (${relativeTime(view.deadline, facts.now)})`),
    ...field("attempts", `${view.attempt_count} of ${view.max_attempts}`),
    ...field("tokens", `${view.tokens_used} of ${view.budget_tokens}`),
    ...field("cost", costWords(view.cost_usd)),
    ...field("done when", doneWords(job)),
    ...field("checkpoint", shortened(JSON.stringify(job.checkpoint))),
    ...field("instructions", shortened(job.instructions)),
    ...historyLines(job, facts.now, columns),
  ];
}

function labelled(label: string, [first = "", ...more]: readonly string[]): readonly Line[] {
  const value = first.slice(LABEL_CELLS);
  return [[{ text: label.padEnd(LABEL_CELLS), style: "quiet" }, { text: value }], ...more.map((text) => line(text))];
}

function stateWords({ state, since, status, need }: JobView, now: Seconds): string {
  const age = since === null ? "" : `, since ${since} (${relativeTime(since, now)})`;
  return `${need === null ? "" : "! "}${state} (${status})${age}`;
}

/** More of a checkpoint or a prompt than this pushes everything else off the screen. */
const CHARACTERS_MAX = 2_000;

function shortened(text: string): string {
  return text.length <= CHARACTERS_MAX ? text : `${text.slice(0, CHARACTERS_MAX)}… (show --json has all of it)`;
}

function doneWords({ completion_predicate, result_address }: Job): string {
  const page = result_address === "" ? "" : `the page ${result_address}.md stands at git HEAD`;
  switch (completion_predicate.type) {
    case "status_done":
      return page === "" ? "somebody says so" : `somebody says so, and ${page}`;
    case "result_address_on_head":
      return page;
    case "checkpoint_equals": {
      const reached = `checkpoint ${completion_predicate.path ?? "step"} is ${JSON.stringify(completion_predicate.value)}`;
      return page === "" ? reached : `${reached}, and ${page}`;
    }
  }
}

function historyLines(job: Job, now: Seconds, columns: number | undefined): readonly Line[] {
  const { attempts, others } = timelineOf(job);
  const outside = others.map(({ attempt_id, ...event }) => ({ ...event, detail: joined(attempt_id, event.detail) }));
  return [
    ...attempts.flatMap((attempt) => attemptLines(attempt, now, columns)),
    ...(outside.length === 0 ? [] : [line(""), line("besides", "heading")]),
    ...outside.flatMap((event) => eventLines(event, now, columns)),
  ];
}

function attemptLines(attempt: AttemptTimeline, now: Seconds, columns: number | undefined): readonly Line[] {
  const { attempt_id, events, lease_until } = attempt;
  const lease = lease_until === undefined ? "" : `, lease until ${lease_until} (${relativeTime(lease_until, now)})`;
  return [
    line(""),
    ...wrapped(`${attempt_id}${lease}`, columns, "").map((text) => line(text, "heading")),
    ...events.flatMap((event) => eventLines(event, now, columns)),
  ];
}

/** What does not fit beside stands two cells further in than the event. */
const EVENT_INDENT = "  ";
const MORE_INDENT = "    ";

function eventLines({ at, event, count, detail }: TimelineEvent, now: Seconds, columns: number | undefined): readonly Line[] {
  const times = count === 1 ? "" : `, ${count} times so far`;
  const head = `${at}  ${relativeTime(at, now).padEnd(9)}${event}${times}`;
  const [first = "", ...more] = wrapped(joined(head, detail), columns, MORE_INDENT);
  return [EVENT_INDENT + first.slice(MORE_INDENT.length), ...more].map((text) => line(text));
}

function joined(...words: readonly string[]): string {
  return words.filter((word) => word !== "").join(": ");
}
