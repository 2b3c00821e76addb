import type { TickFacts } from "../job/decide.ts";
import { type Job, momentOf } from "../job/job.ts";
import { countOf, lastFailure } from "../job/mail-grace.ts";
import { latestOffer } from "../job/offer.ts";
import { numberText } from "../json/json.ts";
import { type JobState, OVERDUE_SECONDS } from "./job-state.ts";

/** What a job wants of a person. */
export interface Need {
  readonly why: string;
  /** The command that mends it, or what has to be decided first. */
  readonly remedy: string;
}

/** Undefined where the job goes on by itself. Pure. */
export function needOf(job: Job, state: JobState, facts: TickFacts): Need | undefined {
  const { job_id, harness } = job;
  switch (state) {
    case "mail failing":
      return { why: mailFault(job), remedy: "mend the ntfy host, topic or token; harness-wake doctor looks at each" };
    case "exhausted":
      return {
        why: `a tick gave up: ${job.exhausted_reason ?? "no reason is noted"}`,
        remedy: `see harness-wake show ${job_id}; to try again, create a new job`,
      };
    case "blocked":
      return {
        why: job.blocker === null ? "blocked, and no blocker says why" : `${job.blocker.kind}: ${job.blocker.detail}`,
        remedy: `clear what blocks it, then harness-wake unblock ${job_id}`,
      };
    case "overdue":
      return { why: "no tick has moved it", remedy: "see whether ticks come: harness-wake doctor" };
    case "unclaimed":
      return {
        why: offeredInVain(job),
        remedy: `start a worker for the harness ${harness}: harness-wake work --harness ${harness} …`,
      };
    case "page unknown":
      return { why: "git cannot say whether its page stands", remedy: "see harness-wake doctor" };
    case "mail owed":
      return mailLongOwed(job, facts);
    case "lapsed":
    case "due":
    case "working":
    case "offered":
    case "backing off":
    case "waiting":
    case "held":
    case "done":
    case "cancelled":
      return undefined;
  }
}

function mailFault(job: Job): string {
  const offer = latestOffer(job);
  const failure = offer === undefined ? undefined : lastFailure(job, offer);
  if (failure === undefined) return "its mail fails";
  const { host, error } = failure;
  const status = numberText(failure.http_status);
  const what = typeof error === "string" ? error : status === undefined ? "no answer" : `HTTP ${status}`;
  return `${typeof host === "string" && host !== "" ? host : "ntfy"}: ${what} (failed ${times(countOf(failure))})`;
}

function offeredInVain(job: Job): string {
  const offer = latestOffer(job);
  const wake = job.event_receipts.findLast((receipt) => receipt.event === "wake");
  return `${offer?.attempt_id ?? "an attempt"} was offered ${times(wake === undefined ? 1 : countOf(wake))}, and nobody claimed it`;
}

function mailLongOwed(job: Job, { now }: TickFacts): Need | undefined {
  const firstAt = typeof job.last_wake_at === "string" ? momentOf(job.last_wake_at) : now;
  if (now - firstAt < OVERDUE_SECONDS) return undefined;
  return {
    why: "its mail is promised, and no tick has sent it",
    remedy: "see whether a tick with --deliver comes: harness-wake doctor",
  };
}

function times(count: number): string {
  return count === 1 ? "once" : `${count} times`;
}
