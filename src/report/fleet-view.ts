import type { JobError } from "../errors/job-error.ts";
import type { TickFacts } from "../job/decide.ts";
import type { Job } from "../job/job.ts";
import { STATES } from "./job-state.ts";
import { type JobView, viewOf } from "./job-view.ts";
import type { Need } from "./need.ts";

/** A file that should be a job and cannot be read as one (contract §2). */
export interface BrokenView {
  /** Null where not even that can be read. */
  readonly job_id: string | null;
  readonly state: "broken";
  readonly need: Need;
  readonly code: string;
  readonly file: string | null;
  readonly message: string;
}

export type FleetRow = JobView | BrokenView;

/** A job file as it was found: a job, or why it cannot be read as one. */
export type FleetEntry =
  | { readonly job_id: string; readonly job: Job; readonly error?: never }
  | { readonly job_id: string | null; readonly job?: never; readonly error: JobError };

/** One job file as an operator sees it. Pure. */
export function rowOf(entry: FleetEntry, facts: TickFacts): FleetRow {
  if (entry.error === undefined) return viewOf(entry.job, facts);
  const { job_id, error } = entry;
  const { code, message, file = null } = error;
  const remedy = "mend the file by hand, or restore it from git";
  return { job_id, state: "broken", need: { why: message, remedy }, code, file, message };
}

/** A fleet with what needs a person first, then what works, waits and is done (contract §14); by id where alike. */
export function byUrgency<Seen extends { readonly row: FleetRow }>(seen: readonly Seen[]): readonly Seen[] {
  return seen.toSorted(
    ({ row: a }, { row: b }) =>
      Number(a.need === null) - Number(b.need === null) || rank(a) - rank(b) || compareText(nameOf(a), nameOf(b)),
  );
}

/** The job's id, or the name of a file that does not tell it. */
export function nameOf(row: FleetRow): string {
  return row.job_id ?? (row.state === "broken" ? (row.file ?? "?") : "?");
}

function rank({ state }: FleetRow): number {
  return STATES.indexOf(state);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export interface FleetSums {
  readonly jobs: number;
  readonly need_a_person: number;
  readonly by_state: Readonly<Partial<Record<FleetRow["state"], number>>>;
  readonly tokens_used: number;
  /** US dollars, as far as claimants told; null where none did. */
  readonly cost_usd: number | null;
}

/** Pure. */
export function sumsOf(rows: readonly FleetRow[]): FleetSums {
  const by_state: Partial<Record<FleetRow["state"], number>> = {};
  let need_a_person = 0;
  let tokens_used = 0;
  let cost_usd: number | null = null;
  for (const row of rows) {
    by_state[row.state] = (by_state[row.state] ?? 0) + 1;
    if (row.need !== null) need_a_person++;
    if (row.state === "broken") continue;
    tokens_used += row.tokens_used;
    if (row.cost_usd !== null) cost_usd = (cost_usd ?? 0) + row.cost_usd;
  }
  return { jobs: rows.length, need_a_person, by_state, tokens_used, cost_usd };
}
