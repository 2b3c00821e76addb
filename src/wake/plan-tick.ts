import type { JobError } from "../errors/job-error.ts";
import { type Change, decide, type TickFacts, type Verdict } from "../job/decide.ts";
import type { Job } from "../job/job.ts";
import { applyChange, type ChangeFacts } from "../job/moves/tick-changes.ts";
import { latestOffer } from "../job/offer.ts";
import { normalizeTime } from "../job/time.ts";
import type { Letter } from "../mail/mailer.ts";
import { letterFor } from "./outbox.ts";
import type { Delivery, Row } from "./summary.ts";

/** What a tick would do with one job: the row that it would print, and the job as it would leave it. */
export interface Planned {
  readonly row: Row;
  /** Whether the tick changes the job. */
  readonly moves: boolean;
  /** The job as the tick leaves it. */
  readonly job: Job;
  /** A held job's place among the deliveries of a `--deliver` pass. */
  readonly held: Delivery | undefined;
  /** What a `--deliver` pass mails once the move is durable. */
  readonly letter: Letter | undefined;
}

/** A plan, or what stands in its way: a page to ask for, or one that nobody can tell. */
export type JobPlan =
  | { readonly kind: "planned"; readonly plan: Planned }
  | { readonly kind: "ask_page"; readonly address: string }
  | { readonly kind: "cannot_tell"; readonly address: string };

/**
 * Decides and applies, all in memory. `--dry-run` prints exactly this. Without `changeFacts` a job that moves is only found
 * out, not moved: enough for a first look at a job that is decided again when it is written.
 */
export function planJob(job: Job, tick: TickFacts, changeFacts?: () => ChangeFacts): JobPlan {
  const decision = decide(job, tick);
  if (decision.action === "ASK_PAGE") return { kind: "ask_page", address: decision.address };
  if (decision.action === "CANNOT_TELL") return { kind: "cannot_tell", address: decision.address };
  const moves = decision.changes.length > 0;
  const left = moves && changeFacts !== undefined ? moveJob(job, decision.changes, changeFacts()) : job;
  return {
    kind: "planned",
    plan: {
      row: rowOf(left, decision),
      moves,
      job: left,
      held: decision.action === "HOLD" && tick.deliver ? heldDelivery(job, decision.reason) : undefined,
      letter: decision.action === "WAKE" && tick.deliver ? letterFor(left) : undefined,
    },
  };
}

function moveJob(job: Job, changes: readonly Change[], facts: ChangeFacts): Job {
  return changes.reduce((moved: Job, change) => applyChange(moved, change, facts), job);
}

function rowOf(job: Job, verdict: Verdict): Row {
  const attempt_id = verdict.action === "WAKE" ? latestOffer(job)?.attempt_id : undefined;
  const row = {
    job_id: job.job_id,
    action: verdict.action,
    reason: verdict.reason,
    invoke_model: verdict.action === "WAKE",
    status: job.status,
    harness: job.harness,
    next_wake_at: normalizeTime(job.next_wake_at),
  };
  return attempt_id === undefined ? row : { ...row, attempt_id };
}

function heldDelivery(job: Job, hold: string): Delivery {
  return { ok: true, state: hold, job_id: job.job_id, attempt_id: `${job.job_id}-hold`, road: "none" };
}

/** The row of a job that could not be read, decided or written. The others go on. */
export function errorRow(job_id: string | null, error: JobError): Row {
  return {
    job_id,
    action: "ERROR",
    reason: error.code,
    invoke_model: false,
    status: null,
    harness: null,
    next_wake_at: null,
    error: { code: error.code, message: error.message, file: error.file ?? null },
  };
}
