import type { Seconds } from "../job/time.ts";
import { type FleetRow, nameOf, sumsOf } from "../report/fleet-view.ts";
import { STATES, type State } from "../report/job-state.ts";
import type { JobView } from "../report/job-view.ts";
import { type Column, columnLines } from "./columns.ts";
import { relativeTime } from "./relative-time.ts";
import type { Line, Screen, Span, Style } from "./styled-text.ts";

const COLUMNS: readonly Column[] = [
  { header: "JOB", least: 20, spare: 0, cut: "middle" },
  { header: "STATE", least: 14, spare: 0 },
  { header: "SINCE", least: 8, spare: 3 },
  { header: "NEXT", least: 18, spare: 1 },
  { header: "HOLDER", least: 12, spare: 4 },
  { header: "TRIES", least: 7, spare: 6, align: "right" },
  { header: "TOKENS", least: 12, spare: 5, align: "right" },
  { header: "COST", least: 8, spare: 7, align: "right" },
  { header: "OBJECTIVE", least: 12, spare: 2 },
];

/** The columns of `list` and `status`: one line per job (contract §14). */
export function fleetTable(rows: readonly FleetRow[], now: Seconds, { columns }: Screen): readonly Line[] {
  return columnLines(
    COLUMNS,
    rows.map((row) => cellsOf(row, now)),
    columns,
  );
}

/** `!` before the state says what needs a person, whatever colours are shown. */
function cellsOf(row: FleetRow, now: Seconds): readonly Span[] {
  const style = styleOf(row);
  const state: Span = { text: `${row.need === null ? " " : "!"} ${row.state}`, ...(style !== undefined && { style }) };
  if (row.state === "broken") return [{ text: nameOf(row) }, state, ...Array<Span>(6).fill({ text: "" }), { text: row.message }];
  return [
    { text: row.job_id },
    state,
    { text: relativeTime(row.since, now) },
    { text: nextWords(row, now) },
    { text: row.holder ?? "" },
    { text: `${row.attempt_count}/${row.max_attempts}` },
    { text: `${row.tokens_used}` },
    { text: costWords(row.cost_usd) },
    { text: row.objective },
  ];
}

const STYLES: Readonly<Partial<Record<State, Style>>> = {
  working: "good",
  offered: "good",
  lapsed: "caution",
  due: "caution",
  "mail owed": "caution",
  done: "quiet",
  cancelled: "quiet",
  held: "quiet",
};

function styleOf({ need, state }: FleetRow): Style | undefined {
  return need === null ? STYLES[state] : "alarm";
}

/** `in 15m: wake`; empty where by time alone no tick moves it. */
export function nextWords({ next }: Pick<JobView, "next">, now: Seconds): string {
  return next === null ? "" : `${relativeTime(next.at, now)}: ${moveWords(next)}`;
}

/** What a tick does, in a word or two. */
function moveWords({ action, reason }: NonNullable<JobView["next"]>): string {
  if (action === "WAKE") return reason === "RUNNABLE" ? "wake" : reason === "REDELIVER" ? "mail again" : "offer again";
  if (action === "BACKOFF") return "back off";
  if (action === "ERROR") return "page unknown";
  return reason === "DONE" ? "done" : `end (${reason})`;
}

export function costWords(cost: number | null): string {
  return cost === null ? "" : `$${cost.toFixed(2)}`;
}

/** `3 jobs: 1 exhausted, 2 waiting; 12300 tokens; $0.25`. */
export function sumsWords(rows: readonly FleetRow[]): string {
  if (rows.length === 0) return "no jobs";
  const { jobs, by_state, tokens_used, cost_usd } = sumsOf(rows);
  const states = STATES.flatMap((state) => (by_state[state] === undefined ? [] : [`${by_state[state]} ${state}`]));
  const cost = cost_usd === null ? "" : `; ${costWords(cost_usd)}`;
  return `${jobs} ${jobs === 1 ? "job" : "jobs"}: ${states.join(", ")}; ${tokens_used} tokens${cost}`;
}
