import { JobError } from "../errors/job-error.ts";
import type { Clock } from "../facts/clock.ts";
import type { Ids } from "../facts/ids.ts";
import { type Holds, rulesInForce } from "../holds/holds.ts";
import type { TickFacts } from "../job/decide.ts";
import type { Job } from "../job/job.ts";
import type { ChangeFacts } from "../job/moves/apply-change.ts";
import type { Mailer } from "../mail/mailer.ts";
import type { PageOracle } from "../pages/page-oracle.ts";
import { CONFLICT_TRIES, type JobStore, type StepFunction } from "../store/job-store.ts";
import { sendLetters } from "./outbox.ts";
import { PassPages } from "./pass-pages.ts";
import { errorRow, type JobPlan, type Planned, planJob } from "./plan-tick.ts";
import { summarize, type TickSummary } from "./summary.ts";

export interface TickPorts {
  readonly store: JobStore;
  readonly pages: PageOracle;
  readonly holds: Holds;
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
  const facts: TickFacts = { now, deliver, holds: await rulesInForce(ports), pages: pages.known };
  const changeFacts = (): ChangeFacts => ({ now, deliver, worker_id: options.workerId, lease_id: ports.ids.leaseId() });
  const plan = (job: Job): JobPlan => planJob(job, facts, changeFacts);
  const look = (job: Job): JobPlan => planJob(job, facts);

  const results = await decideAll(ports.store, pages, options.dryRun ? plan : look);
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

type Result = Omit<Planned, "job">;

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
  let pending = [...results].flatMap(([jobId, { moves }]) => (moves ? jobId : []));
  for (let tries = 1; tries <= CONFLICT_TRIES && pending.length > 0; tries++) {
    // The last time nobody is waited for: a job that still asks is given up, and the others are written.
    const step = stepFor(plan, tries < CONFLICT_TRIES);
    const outcomes = await store.transact(pending, step);
    const asking = new Map<string, string>();
    for (const [jobId, { answer, error }] of outcomes) {
      if (error !== undefined) results.set(jobId, failed(jobId, error));
      else if (answer === "gone") results.delete(jobId);
      else if (answer.plan === undefined) asking.set(jobId, answer.askPage);
      else results.set(jobId, settle(answer.plan));
    }
    await pages.ask([...asking.values()]);
    for (const jobId of asking.keys()) results.set(jobId, failed(jobId, pages.failure ?? keptChanging(jobId)));
    const askAgain = pages.failure === undefined ? [...asking.keys()] : [];
    pending = [...pending.filter((jobId) => !outcomes.has(jobId)), ...askAgain];
  }
}

function stepFor(plan: (job: Job) => JobPlan, mayWait: boolean): StepFunction<JobPlan | "gone"> {
  return ({ job }) => {
    if (job === undefined) return { answer: "gone" };
    const answer = plan(job);
    if (answer.plan === undefined) return mayWait ? { answer, undecided: true } : { answer };
    const { row, moves, job: left } = answer.plan;
    if (!moves) return { answer };
    return { answer, write: { job: left, note: `${row.action} ${row.reason} ${row.attempt_id ?? row.job_id}` } };
  };
}

function keptChanging(jobId: string): JobError {
  const message = `${jobId}: kept changing under its page check, ${CONFLICT_TRIES} times. Nothing was changed; the next tick tries again`;
  return new JobError("CONFLICT", message);
}

function settle({ row, moves, held, letter }: Planned): Result {
  return { row, moves, held, letter };
}

function failed(jobId: string | null, error: JobError): Result {
  return { row: errorRow(jobId, error), moves: false, held: undefined, letter: undefined };
}

/** Stands in for a page's answer until it is asked for. */
const UNANSWERED = new JobError("TRUTH_UNAVAILABLE", "the page was not asked for");
