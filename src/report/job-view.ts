import type { TickFacts } from "../job/decide.ts";
import { isLeaseLive, type Job, type Status } from "../job/job.ts";
import { latestOffer } from "../job/offer.ts";
import { formatTime, normalizeTime, type Seconds } from "../job/time.ts";
import { type JobState, stateOf } from "./job-state.ts";
import { type Need, needOf } from "./need.ts";
import { Outlook, type RowWords, rowWordsOf } from "./outlook.ts";
import { costOf } from "./spent.ts";

/** What an operator sees of one job (contract §14). A record as it is printed; times are RFC 3339. */
export interface JobView {
  readonly job_id: string;
  readonly state: JobState;
  /** Null where the job goes on by itself. */
  readonly need: Need | null;
  /** Since when it is in its state; null where no receipt or time says so. */
  readonly since: string | null;
  /** The next moment at which a tick would wake, back off or end it; ERROR where its page is unknown, null where none would. */
  readonly next: ({ readonly at: string } & RowWords) | null;
  /** Who holds its live lease. */
  readonly holder: string | null;
  readonly lease_until: string | null;
  readonly status: Status;
  readonly owner_claim: string;
  readonly harness: string;
  readonly objective: string;
  readonly attempt_count: number;
  readonly max_attempts: number;
  readonly next_wake_at: string;
  readonly deadline: string;
  readonly tokens_used: number;
  readonly budget_tokens: number;
  /** US dollars, as claimants told; null where none did. */
  readonly cost_usd: number | null;
}

/**
 * Pure: the same job and facts give the same view. `facts.deliver` says whether the ticks to come mail. A page that the job's
 * rule 2 asks for must be among `facts.pages`; one that is not counts as unknown.
 */
export function viewOf(job: Job, facts: TickFacts): JobView {
  const outlook = new Outlook(job, facts);
  const state = stateOf(job, facts, outlook);
  const lease = isLeaseLive(job, facts.now) ? job.lease : null;
  const move = outlook.move();
  return {
    job_id: job.job_id,
    state,
    need: needOf(job, state, facts) ?? null,
    since: sinceOf(job, state, outlook),
    next: move === undefined ? null : { at: formatTime(move.at), ...rowWordsOf(move.decision) },
    holder: lease?.holder ?? null,
    lease_until: lease === null ? null : normalizeTime(lease.until),
    status: job.status,
    owner_claim: job.owner_claim,
    harness: job.harness,
    objective: job.objective,
    attempt_count: job.attempt_count,
    max_attempts: job.max_attempts,
    next_wake_at: normalizeTime(job.next_wake_at),
    deadline: normalizeTime(job.deadline),
    tokens_used: job.tokens_used,
    budget_tokens: job.budget_tokens,
    cost_usd: costOf(job) ?? null,
  };
}

function sinceOf(job: Job, state: JobState, outlook: Outlook): string | null {
  switch (state) {
    case "done":
      return timeOr(job.completed_at ?? job.updated_at);
    case "exhausted":
      return timeOr(lastOf(job, "exhaust") ?? job.updated_at);
    case "cancelled":
      return timeOr(lastOf(job, "cancel") ?? job.updated_at);
    case "blocked":
      return timeOr(job.updated_at);
    case "overdue":
    case "due":
      return formatted(outlook.since());
    case "working":
      return timeOr(lastOf(job, "delivery_claim"));
    case "lapsed":
      return timeOr(job.lease?.until);
    case "offered":
      return timeOr(latestOffer(job) === undefined ? undefined : lastOf(job, "wake"));
    // A repeated offer moves its receipt; the attempt began with the wake.
    case "mail failing":
    case "mail owed":
    case "unclaimed":
      return timeOr(job.last_wake_at);
    case "backing off":
    case "waiting":
    case "held":
    case "page unknown":
      return timeOr(job.updated_at ?? job.created_at);
  }
}

function formatted(moment: Seconds | undefined): string | null {
  return moment === undefined ? null : formatTime(moment);
}

function lastOf(job: Job, event: string): string | undefined {
  return job.event_receipts.findLast((receipt) => receipt.event === event)?.ts;
}

function timeOr(time: string | null | undefined): string | null {
  return time === null || time === undefined ? null : normalizeTime(time);
}
