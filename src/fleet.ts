import type { Clock } from "./facts/clock.ts";
import type { Ids } from "./facts/ids.ts";
import type { Holds } from "./holds/holds.ts";
import { isTerminal, type Job } from "./job/job.ts";
import type { PageOracle } from "./pages/page-oracle.ts";
import type { JobStore } from "./store/job-store.ts";

/** Everything that a call on a fleet of jobs needs. `openFleet` builds one from config; tests put one together from fakes. */
export interface Fleet {
  readonly store: JobStore;
  readonly pages: PageOracle;
  readonly holds: Holds;
  readonly clock: Clock;
  readonly ids: Ids;
}

/**
 * What a call on a fleet answers (contract §6). What the contract foresees is an answer, `ok` or not; only wrong use
 * (JobError SCHEMA) and a failing environment throw.
 */
export interface Answer {
  readonly ok: boolean;
  readonly state: string;
  readonly attempt_id?: string | undefined;
  /** True for one answer alone: a fresh claim. */
  readonly invoke_model: boolean;
  readonly job_id: string;
  /** Whether the call changed nothing because it had been made before. */
  readonly replay?: boolean;
  /** Why, and what to do: for a refusal, and where there is more to say. */
  readonly message?: string;
}

export function refusal<State extends string>(state: State, job_id: string, message: string): Answer & { readonly state: State } {
  return { ok: false, state, invoke_model: false, job_id, message };
}

/** What every call that moves a job answers for one that has ended. */
export function endedAnswer(job: Job): Answer | undefined {
  if (!isTerminal(job.status)) return undefined;
  return refusal(job.status, job.job_id, `${job.job_id} is ${job.status}; a terminal job changes no more`);
}
