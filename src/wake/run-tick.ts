import type { Clock } from "../facts/clock.ts";
import type { Ids } from "../facts/ids.ts";
import type { ChangeFacts } from "../job/apply-change.ts";
import type { HoldRule } from "../job/hold.ts";
import type { Job } from "../job/job.ts";
import { JobError } from "../job/job-error.ts";
import type { Mailer } from "../mail/mailer.ts";
import type { PageOracle } from "../pages/page-oracle.ts";
import { CONFLICT_TRIES, type Found, type JobStore, type Step } from "../store/job-store.ts";
import { sendLetters } from "./outbox.ts";
import { PassPages } from "./pass-pages.ts";
import { errorRow, type JobPlan, type Planned, planJob } from "./plan-tick.ts";
import { summarize, type TickSummary } from "./summary.ts";

export interface TickPorts {
  readonly store: JobStore;
  readonly pages: PageOracle;
  readonly holds: readonly HoldRule[];
  readonly clock: Clock;
  readonly ids: Ids;
  /** Sends the mail of this pass; a pass without one delivers nothing. */
  readonly mailer?: Mailer;
}

export interface TickOptions {
  readonly workerId: string;
  /** Answers what the tick would do and does none of it. */
  readonly dryRun?: boolean;
}

/**
 * One pass over the jobs (contract §3): read, decide, write what moved. Runs no model, whatever happens. A broken job is
 * an ERROR row; JobError is thrown only when nothing could be decided at all (no directory, no lock).
 */
export async function runTick(ports: TickPorts, options: TickOptions): Promise<TickSummary> {
  const now = ports.clock.now();
  const deliver = ports.mailer !== undefined;
  const pages = new PassPages(ports.pages);
  const plan = (job: Job): JobPlan => {
    const changeFacts = (): ChangeFacts => ({ now, deliver, worker_id: options.workerId, lease_id: ports.ids.leaseId() });
    return planJob(job, { now, deliver, holds: ports.holds, pages: pages.known }, changeFacts);
  };

  const results = await decideAll(ports.store, pages, plan);
  if (!options.dryRun) await writeMoved(ports.store, pages, plan, results);

  const settled = [...results.values()];
  const letters = new Map(
    [...results].flatMap(([jobId, { letter }]) => (letter === undefined ? [] : [[jobId, letter] as const])),
  );
  const held = settled.flatMap((result) => result.held ?? []);
  const sent = ports.mailer === undefined || options.dryRun ? [] : await sendLetters(ports.store, ports.mailer, letters, now);
  return summarize(
    now,
    options.workerId,
    settled.map(({ row }) => row),
    [...held, ...sent],
  );
}

type Result = Omit<Planned, "moved"> & { readonly mustWrite: boolean };

/** What a pass says of each job file, in the order of their names. A broken file goes by its own name. */
type Results = Map<string, Result>;

/** Decides every job as it was read. No lock is taken: a quiet fleet costs nothing but its reading. */
async function decideAll(store: JobStore, pages: PassPages, plan: (job: Job) => JobPlan): Promise<Results> {
  const results: Results = new Map();
  const asking = new Map<string, { readonly job: Job; readonly address: string }>();
  for (const entry of await store.scan()) {
    if (entry.error !== undefined) {
      results.set(entry.error.file ?? `${entry.job_id}`, failed(entry.job_id, entry.error));
      continue;
    }
    const { plan: planned, askPage } = plan(entry.job);
    if (planned === undefined) asking.set(entry.job_id, { job: entry.job, address: askPage });
    // An asking job is given its place in the order now, and its row below.
    results.set(entry.job_id, planned === undefined ? failed(entry.job_id, UNANSWERED) : settle(planned));
  }
  await pages.ask([...asking.values()].map(({ address }) => address));
  for (const [jobId, { job }] of asking) {
    const { plan: planned } = plan(job);
    results.set(jobId, planned === undefined ? failed(jobId, pages.failure ?? UNANSWERED) : settle(planned));
  }
  return results;
}

/**
 * Writes the jobs that move, each decided again on what it is by then. A job that meanwhile needs another page is asked
 * about outside the transaction and tried again, a few times.
 */
async function writeMoved(store: JobStore, pages: PassPages, plan: (job: Job) => JobPlan, results: Results): Promise<void> {
  let pending = [...results].flatMap(([jobId, { mustWrite }]) => (mustWrite ? jobId : []));
  const step = ({ job }: Found): Step<JobPlan | "gone"> => (job === undefined ? { answer: "gone" } : stepOf(plan(job)));
  for (let tries = 0; tries < CONFLICT_TRIES && pending.length > 0; tries++) {
    const asking = new Map<string, string>();
    for (const [jobId, { answer, error }] of await store.transact(pending, step)) {
      if (error !== undefined) results.set(jobId, failed(jobId, error));
      else if (answer === "gone") results.delete(jobId);
      else if (answer.plan === undefined) asking.set(jobId, answer.askPage);
      else results.set(jobId, settle(answer.plan));
    }
    await pages.ask([...asking.values()]);
    pending = [...asking.keys()];
  }
  for (const jobId of pending) {
    const keptChanging = `${jobId}: kept changing under its page check, ${CONFLICT_TRIES} times. Nothing was changed; the next tick tries again`;
    results.set(jobId, failed(jobId, pages.failure ?? new JobError("CONFLICT", keptChanging)));
  }
}

function stepOf(jobPlan: JobPlan): Step<JobPlan> {
  const { row, moved } = jobPlan.plan ?? {};
  if (row === undefined || moved === undefined) return { answer: jobPlan };
  return { answer: jobPlan, write: { job: moved, note: `${row.action} ${row.reason} ${row.attempt_id ?? row.job_id}` } };
}

function settle({ row, moved, held, letter }: Planned): Result {
  return { row, held, letter, mustWrite: moved !== undefined };
}

function failed(jobId: string | null, error: JobError): Result {
  return { row: errorRow(jobId, error), held: undefined, letter: undefined, mustWrite: false };
}

/** Stands in for a page's answer until it is asked for. */
const UNANSWERED = new JobError("TRUTH_UNAVAILABLE", "the page was not asked for");
