import type { JobErrorCode } from "../errors/job-error.ts";
import type { Verdict } from "../job/decide.ts";
import type { Status } from "../job/job.ts";
import { formatTime, type Seconds } from "../job/time.ts";

/** What a tick says of one job (contract §3). */
export interface Row {
  readonly job_id: string | null;
  readonly action: Verdict["action"] | "ERROR";
  /** In an ERROR row the error's code. */
  readonly reason: string;
  /** A signal to the owning harness that there is work, not an act: a tick runs no model. */
  readonly invoke_model: boolean;
  readonly status: Status | null;
  readonly harness: string | null;
  readonly next_wake_at: string | null;
  readonly attempt_id?: string;
  readonly error?: { readonly code: JobErrorCode; readonly message: string; readonly file: string | null };
}

/** What became of one job's mail in this pass (contract §4). */
export interface Delivery {
  readonly ok: boolean;
  readonly state: string;
  readonly job_id: string;
  readonly attempt_id: string;
  readonly host?: string;
  readonly http_status?: number;
  readonly error?: string;
  /** `none` for a held job: no road was taken. */
  readonly road?: "none";
}

export interface TickSummary {
  readonly ok: boolean;
  readonly state: "TICKED";
  readonly now: string;
  readonly worker_id: string;
  /** Which store was read: `git` is the remote's branch. */
  readonly store: "file" | "git";
  /** False for a look, which decides and writes nothing. */
  readonly written: boolean;
  readonly jobs: readonly Row[];
  readonly wake_count: number;
  readonly stop_count: number;
  readonly backoff_count: number;
  readonly hold_count: number;
  readonly error_count: number;
  readonly invoke_model_count: number;
  readonly deliveries: readonly Delivery[];
  readonly delivered_count: number;
  readonly process_model_invocations: 0;
  readonly invoke_model: false;
}

/** Counts what a pass did. `ok` is false when any row is ERROR or any delivery FAILED (contract §3). */
export function summarize(
  pass: { readonly now: Seconds } & Pick<TickSummary, "worker_id" | "store" | "written">,
  jobs: readonly Row[],
  deliveries: readonly Delivery[],
): TickSummary {
  const { now, worker_id, store, written } = pass;
  const count = (action: Row["action"]): number => jobs.reduce((sum, row) => sum + (row.action === action ? 1 : 0), 0);
  const error_count = count("ERROR");
  return {
    ok: error_count === 0 && deliveries.every((delivery) => delivery.ok),
    state: "TICKED",
    now: formatTime(now),
    worker_id,
    store,
    written,
    jobs,
    wake_count: count("WAKE"),
    stop_count: count("STOP"),
    backoff_count: count("BACKOFF"),
    hold_count: count("HOLD"),
    error_count,
    invoke_model_count: count("WAKE"),
    deliveries,
    delivered_count: deliveries.filter((delivery) => delivery.state === "MAIL").length,
    process_model_invocations: 0,
    invoke_model: false,
  };
}
