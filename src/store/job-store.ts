import type { JobError } from "../errors/job-error.ts";
import type { Job } from "../job/job.ts";

/** One job file as it was found: a job, or why it cannot be read as one. */
export type JobEntry =
  | ReadJob
  /** `job_id` is null where not even that can be read. */
  | { readonly job_id: string | null; readonly job?: never; readonly error: JobError };

/** A job, with the text that it was read from. */
export interface ReadJob {
  readonly job_id: string;
  readonly job: Job;
  readonly text: string;
  readonly error?: never;
}

/** What a transaction finds under the name of a job. */
export interface Found {
  readonly job_id: string;
  readonly job: Job | undefined;
  /** The id of a job that differs from an absent one only in case: some file systems could not keep both. */
  readonly namesake: string | undefined;
}

/** A move of a job, and a few words of it for the history that people read: `wake harbor-0001-a02`. */
export interface Write {
  readonly job: Job;
  readonly note: string;
}

/** What a step answers. With `write` the job moves; without, nothing is touched. */
export interface Step<Answer> {
  readonly answer: Answer;
  readonly write?: Write;
  /**
   * The caller will come back with this job. A store that writes all jobs of a transaction in one go then writes none of
   * them, and leaves out the outcomes of the others, so that nothing is written twice over.
   */
  readonly isDeferred?: true;
}

/** The `write` part of a step; none where the move left the job as it was. */
export function writeIfMoved(before: Job, job: Job, note: string): { readonly write?: Write } {
  return job === before ? {} : { write: { job, note } };
}

/** Decides on a job as it is now. Pure, and may run several times; a JobError that it throws becomes that job's outcome. */
export type StepFunction<Answer> = (found: Found) => Step<Answer>;

export type Outcome<Answer> =
  | { readonly answer: Answer; readonly error?: never }
  | { readonly answer?: never; readonly error: JobError };

/**
 * Where jobs live (contract §7). Every adapter passes `test/conformance/job-store-suite.ts`.
 *
 * `transact` is linearized: all rivals' steps on one job happen in some order, each on what the one before it wrote. A
 * write is durable and whole when the answer is given, or did not happen; where it stands and durability could not be had,
 * the outcome is an IO error that says so. One job's failure is that job's outcome alone;
 * JobError LOCK_UNAVAILABLE, IO or CONFIG is thrown when nothing could be decided at all.
 */
export interface JobStore {
  /** `git` where every write is a push that all machines see. */
  readonly kind: "file" | "git";
  /** Every job file, in the order of their names; broken ones as errors. */
  scan(): Promise<Iterable<JobEntry>>;
  /** One job; undefined when there is none. The id must be checked: {@link isJobId}. */
  read(jobId: string): Promise<JobEntry | undefined>;
  /** `seen` spares reading again what a scan has read: a job counts as seen where its text is still the same. */
  transact<Answer>(
    jobIds: readonly string[],
    step: StepFunction<Answer>,
    seen?: ReadonlyMap<string, ReadJob>,
  ): Promise<ReadonlyMap<string, Outcome<Answer>>>;
}

/** How often a job is decided again when it keeps changing under the decision, before it is given up with CONFLICT. */
export const CONFLICT_TRIES = 4;

/** A transaction over a single job: its answer, or its JobError thrown. */
export async function transactOne<Answer>(store: JobStore, jobId: string, step: StepFunction<Answer>): Promise<Answer> {
  const outcome = (await store.transact([jobId], step)).get(jobId);
  if (outcome === undefined) throw new TypeError(`the store answered nothing for ${jobId}`);
  if (outcome.error !== undefined) throw outcome.error;
  return outcome.answer;
}
