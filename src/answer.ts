import type { HoldName, HoldRule } from "./job/hold.ts";
import { isTerminal, type Job, type TerminalStatus } from "./job/job.ts";

/**
 * What every call on a fleet answers (contract §6). What the contract foresees is an answer, `ok` or not; only wrong use
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

/** The call did what it says, now or before. */
export interface Applied<State extends string> extends Answer {
  readonly ok: true;
  readonly state: State;
  readonly invoke_model: false;
}

/** The contract refuses the call, by this state. */
export interface Refused<State extends string> extends Answer {
  readonly ok: false;
  readonly state: State;
  readonly invoke_model: false;
  readonly message: string;
}

/** A hold covers the job or the caller: nothing is wrong, and nothing happens (contract §5). */
export interface Held extends Answer {
  readonly ok: true;
  readonly state: HoldName;
  readonly invoke_model: false;
  readonly message: string;
}

export function applied<State extends string>(state: State, job_id: string, attempt_id?: string): Applied<State> {
  return { ok: true, state, invoke_model: false, job_id, ...(attempt_id !== undefined && { attempt_id }) };
}

export function refusal<State extends string>(state: State, job_id: string, message: string): Refused<State> {
  return { ok: false, state, invoke_model: false, job_id, message };
}

export function notFound(job_id: string): Refused<"NOT_FOUND"> {
  return refusal("NOT_FOUND", job_id, `there is no job ${job_id}`);
}

/** What every call that moves a job answers for one that has ended. */
export function endedAnswer(job: Job): Refused<TerminalStatus> | undefined {
  if (!isTerminal(job.status)) return undefined;
  return refusal(job.status, job.job_id, `${job.job_id} is ${job.status}; a terminal job changes no more`);
}

export function heldAnswer(hold: HoldRule, job_id: string, attempt_id: string | undefined): Held {
  const message = `${hold.name} covers this job: ${hold.note}`;
  return { ok: true, state: hold.name, invoke_model: false, job_id, attempt_id, message };
}
