import { backoffPause } from "../job/backoff.ts";
import type { RuleNumber, TickFacts } from "../job/decide.ts";
import { findHold } from "../job/hold.ts";
import { isHoldNoted } from "../job/hold-receipt.ts";
import type { Job } from "../job/job.ts";
import { isPastMailGrace } from "../job/mail-grace.ts";
import { isAtWork, isMailOwed, isUnanswered, isWokenCheckpoint, latestOffer } from "../job/offer.ts";
import { DEFAULT_PREDICATE_PATH, restOfPredicateHolds } from "../job/predicate.ts";
import { formatTime, normalizeTime } from "../job/time.ts";

/** A value that a rule looks at, under a name that says which. */
export type Compared = Readonly<Record<string, string | number | boolean | null>>;

interface ExplainedRule {
  /** When it matches, in the words of contract §3. */
  readonly when: string;
  /** The values that it compares. A fact of the tick is named like a field of the job. */
  readonly compared: (job: Job, facts: TickFacts) => Compared;
}

/** What each rule of `decide` asks, and of which values: complete, or it does not compile. */
export const EXPLAINED_RULES: Readonly<Record<RuleNumber, ExplainedRule>> = {
  "1": { when: "the job has ended", compared: ({ status }) => ({ status }) },
  "2": { when: "the predicate holds and its page is at git HEAD", compared: pageValues },
  "3": {
    when: "the deadline is past, and no claimed attempt has a live lease",
    compared: (job, facts) => ({
      now: formatTime(facts.now),
      deadline: normalizeTime(job.deadline),
      at_work: isAtWork(job, facts.now),
    }),
  },
  "4": {
    when: "the tokens are spent, and no claimed attempt has a live lease",
    compared: (job, { now }) => ({
      tokens_used: job.tokens_used,
      budget_tokens: job.budget_tokens,
      at_work: isAtWork(job, now),
    }),
  },
  "5": { when: "the blocker is the remembered one, or BLOCKED has no blocker", compared: blockerValues },
  "5b": { when: "there is a blocker, and none is remembered", compared: blockerValues },
  "5c": { when: "the blocker differs from the remembered one", compared: blockerValues },
  "6": {
    when: "the lease is live",
    compared: (job, facts) => ({
      now: formatTime(facts.now),
      "lease.until": job.lease === null ? null : normalizeTime(job.lease.until),
      ...mailValues(job, facts),
    }),
  },
  "6b": {
    when: "it backs off by itself, and its mail is owed past its grace, in a tick that mails",
    compared: (job, facts) => ({
      in_backoff: job.in_backoff,
      now: formatTime(facts.now),
      next_wake_at: normalizeTime(job.next_wake_at),
      own_pause_seconds: backoffPause(job, job.unclaimed_count),
      ...mailValues(job, facts),
    }),
  },
  "7": {
    when: "it is not due yet",
    compared: (job, { now }) => ({ now: formatTime(now), next_wake_at: normalizeTime(job.next_wake_at) }),
  },
  "8": { when: "a hold covers the harness", compared: holdValues },
  "9": { when: "its mail is owed, in a tick that mails", compared: mailValues },
  "10": {
    when: "the latest offer was promised mail, and nobody claimed it",
    compared: (job) => {
      const offer = latestOffer(job);
      return {
        offered: offer?.attempt_id ?? null,
        unanswered: offer !== undefined && isUnanswered(job, offer),
        ...stallValues(job),
      };
    },
  },
  "11": {
    when: "no progress since the last wake, for the last time",
    compared: (job) => ({
      no_progress_count: job.no_progress_count,
      max_attempts: job.max_attempts,
      ...stallValues(job),
    }),
  },
  "12": {
    when: "all attempts are used",
    compared: ({ attempt_count, max_attempts }) => ({ attempt_count, max_attempts }),
  },
  "12b": { when: "no progress since the last wake", compared: stallValues },
  "13": { when: "anything else", compared: () => ({}) },
};

function pageValues(job: Job, { pages }: TickFacts): Compared {
  const predicate = job.completion_predicate;
  return {
    completion_predicate: predicate.type,
    ...(predicate.type === "checkpoint_equals" && { path: predicate.path ?? DEFAULT_PREDICATE_PATH }),
    predicate_holds: restOfPredicateHolds(job),
    result_address: job.result_address,
    page: pages.get(job.result_address) ?? "not asked for",
  };
}

function blockerValues({ blocker, last_blocker_fingerprint, status }: Job): Compared {
  return {
    "blocker.fingerprint": blocker?.fingerprint ?? null,
    last_blocker_fingerprint: last_blocker_fingerprint ?? null,
    status,
  };
}

function mailValues(job: Job, { deliver, holds, now }: TickFacts): Compared {
  const offer = latestOffer(job);
  const isOwed = offer !== undefined && isMailOwed(job, offer, holds);
  return {
    tick_mails: deliver,
    mail_owed: isOwed,
    ...(isOwed && { past_grace: isPastMailGrace(job, offer, now) }),
  };
}

function holdValues(job: Job, { deliver, holds }: TickFacts): Compared {
  const hold = findHold(holds, [job.harness]);
  return {
    harness: job.harness,
    hold: hold?.name ?? null,
    ...(hold !== undefined && { tick_mails: deliver, noted: isHoldNoted(job, latestOffer(job), hold) }),
  };
}

function stallValues(job: Job): Compared {
  return { in_backoff: job.in_backoff, checkpoint_is_the_woken_one: isWokenCheckpoint(job) };
}
