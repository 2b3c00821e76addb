import type { FleetRow } from "../report/fleet-view.ts";
import type { JobView } from "../report/job-view.ts";

/** One job file among others, for programs: every row has every field, null where a broken file does not tell it. */
export type FleetRecord = { readonly [Field in Exclude<keyof JobView, "state" | "status">]: JobView[Field] | null } & {
  readonly state: FleetRow["state"];
  /** The code of its error for a broken file. */
  readonly status: string;
  readonly message: string | null;
  readonly file: string | null;
};

const UNTOLD = {
  since: null,
  next: null,
  holder: null,
  lease_until: null,
  owner_claim: null,
  harness: null,
  objective: null,
  attempt_count: null,
  max_attempts: null,
  next_wake_at: null,
  deadline: null,
  tokens_used: null,
  budget_tokens: null,
  cost_usd: null,
} as const satisfies Record<Exclude<keyof JobView, "job_id" | "state" | "status" | "need">, null>;

export function recordOf(row: FleetRow): FleetRecord {
  if (row.state !== "broken") return { ...row, message: null, file: null };
  const { job_id, state, need, code, message, file } = row;
  return { job_id, state, need, ...UNTOLD, status: code, objective: message, message, file };
}
