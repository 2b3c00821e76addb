import { JobError } from "../errors/job-error.ts";
import type { Clock } from "../facts/clock.ts";
import type { Ids } from "../facts/ids.ts";
import { type Decided, decideEach } from "../fleet.ts";
import { type Holds, rulesInForce } from "../holds/holds.ts";
import type { TickFacts } from "../job/decide.ts";
import type { Job } from "../job/job.ts";
import type { ChangeFacts } from "../job/moves/tick-changes.ts";
import { requireWorkerName } from "../job/worker-name.ts";
import type { Letter, Mailer } from "../mail/mailer.ts";
import { KnownPages } from "../pages/known-pages.ts";
import type { PageOracle } from "../pages/page-oracle.ts";
import type { Found, JobStore, ReadJob } from "../store/job-store.ts";
import { sendLetters } from "./outbox.ts";
import { errorRow, type JobPlan, type Planned, planJob } from "./plan-tick.ts";
import { type Delivery, type Row, summarize, type TickSummary } from "./summary.ts";

export interface TickPorts {
  readonly store: JobStore;
  readonly pages: PageOracle;
  readonly holds: Holds;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Sends the mail of this pass; a pass without one delivers nothing. */
  readonly mailer?: Mailer;
  /** Whether this fleet mails its wakes, whoever ticks: then a wake promises mail (contract §3). Default: whether this pass mails. */
  readonly promisesMail?: boolean;
}

export interface TickOptions {
  readonly workerId: string;
  /** Answers what the tick would do and does none of it. */
  readonly dryRun?: boolean;
}

/**
 * One pass over the jobs (contract §3): read, decide, write what moved. Runs no model, whatever happens. A broken job is
 * an ERROR row; JobError is thrown only when nothing could be decided at all (no directory, no lock), SCHEMA for a bad name.
 */
export async function runTick(ports: TickPorts, options: TickOptions): Promise<TickSummary> {
  const { workerId, dryRun = false } = options;
  requireWorkerName(workerId, "worker_id");
  const now = ports.clock.now();
  const deliver = ports.mailer !== undefined;
  const promisesMail = ports.promisesMail === true || deliver;
  const pages = new KnownPages(ports.pages);
  const facts: TickFacts = { now, deliver, holds: await rulesInForce(ports), pages: pages.states };
  const changeFacts = (): ChangeFacts => ({ now, promisesMail, worker_id: workerId, lease_id: ports.ids.leaseId() });
  const plan = (job: Job): JobPlan => planJob(job, facts, changeFacts);
  const look = (job: Job): JobPlan => planJob(job, facts);

  const seen = await decideAll(ports.store, pages, dryRun ? plan : look);
  if (!dryRun) await writeMoved(ports.store, pages, plan, seen);

  const rows: Row[] = [];
  const held: Delivery[] = [];
  const letters = new Map<string, Letter>();
  for (const [jobId, result] of seen.results) {
    rows.push(result.row);
    if (result.held !== undefined) held.push(result.held);
    if (result.letter !== undefined) letters.set(jobId, result.letter);
  }
  const sent = ports.mailer === undefined || dryRun ? [] : await sendLetters(ports.store, ports.mailer, letters, now);
  return summarize({ now, worker_id: workerId, store: ports.store.kind, written: !dryRun }, rows, [...held, ...sent]);
}

type Result = Omit<Planned, "job">;

/** What a pass says of each job file, in the order of their names. A broken file goes by its own name. */
type Results = Map<string, Result>;

interface Look {
  readonly results: Results;
  /** The jobs that a pass would write, as they were read. */
  readonly moving: ReadonlyMap<string, ReadJob>;
}

/** Decides every job as it was read. No lock is taken: a quiet fleet costs nothing but its reading. */
async function decideAll(store: JobStore, pages: KnownPages, plan: (job: Job) => JobPlan): Promise<Look> {
  const results: Results = new Map();
  const moving = new Map<string, ReadJob>();
  const asking = new Map<string, { readonly entry: ReadJob; readonly address: string }>();
  const keep = (entry: ReadJob, planned: JobPlan): void => {
    const result = resultOf(planned, entry.job_id, pages);
    if (result.moves) moving.set(entry.job_id, entry);
    results.set(entry.job_id, result);
  };
  for (const entry of await store.scan()) {
    if (entry.error !== undefined) {
      results.set(entry.error.file ?? `${entry.job_id}`, failed(entry.job_id, entry.error));
      continue;
    }
    const planned = plan(entry.job);
    if (planned.kind === "ask_page") asking.set(entry.job_id, { entry, address: planned.address });
    // A job that asks is given its place in the order now, and its row below.
    keep(entry, planned);
  }
  await pages.ask([...asking.values()].map(({ address }) => address));
  for (const { entry } of asking.values()) keep(entry, plan(entry.job));
  return { results, moving };
}

/** Writes the jobs that move, each decided again on what it is by then. */
async function writeMoved(
  store: JobStore,
  pages: KnownPages,
  plan: (job: Job) => JobPlan,
  { results, moving }: Look,
): Promise<void> {
  if (moving.size === 0) return;
  const jobIds = [...results.keys()].filter((jobId) => moving.has(jobId));
  const outcomes = await decideEach(store, pages, jobIds, (found) => decidedBy(found, plan), moving);
  for (const [jobId, { answer, error }] of outcomes) {
    if (error !== undefined) results.set(jobId, failed(jobId, error));
    else if (answer === "gone") results.delete(jobId);
    else results.set(jobId, resultOf(answer, jobId, pages));
  }
}

function decidedBy({ job }: Found, plan: (job: Job) => JobPlan): Decided<JobPlan | "gone"> {
  if (job === undefined) return { answer: "gone" };
  const answer = plan(job);
  switch (answer.kind) {
    case "ask_page":
      return { askPage: answer.address };
    case "cannot_tell":
      return { answer };
    case "planned": {
      const { row, moves, job: left } = answer.plan;
      if (!moves) return { answer };
      return { answer, write: { job: left, note: `${row.action} ${row.reason} ${row.attempt_id ?? row.job_id}` } };
    }
  }
}

function resultOf(planned: JobPlan, jobId: string, pages: KnownPages): Result {
  switch (planned.kind) {
    case "planned": {
      const { row, moves, held, letter } = planned.plan;
      return { row, moves, held, letter };
    }
    case "ask_page":
      return failed(jobId, UNANSWERED);
    case "cannot_tell":
      return failed(jobId, pages.failure ?? UNANSWERED);
  }
}

function failed(jobId: string | null, error: JobError): Result {
  return { row: errorRow(jobId, error), moves: false, held: undefined, letter: undefined };
}

/** Stands in for a page's answer until it is asked for. */
const UNANSWERED = new JobError("TRUTH_UNAVAILABLE", "the page was not asked for");
