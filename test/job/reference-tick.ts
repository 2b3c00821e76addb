import {
  HOLD,
  isBlocked,
  isClaimed,
  isHeld,
  isLive,
  isOver,
  isWoken,
  type ModelJob,
  markDone,
  note,
  noteAgain,
  owed,
  predicateHolds,
  stopsAsBlocked,
  unanswered,
  type World,
} from "./reference-model.ts";

export type ModelRow = { readonly action: string; readonly reason: string; readonly attempt?: number };

const STOP = (reason: string): ModelRow => ({ action: "STOP", reason });

/** Contract §3, rules 1 to 13 on one job. Where the page cannot be told, a copy is decided, and kept where that is harmless. */
export function modelTick(job: ModelJob, world: World, delivers: boolean): ModelRow {
  const asksPage = !isOver(job) && job.address !== "" && predicateHolds(job, job.checkpoint);
  if (asksPage && world.canTell && world.pages.has(job.address)) {
    markDone(job);
    job.isAutoCompleted = true;
    note(job, { event: "auto_complete", attempt: "auto-done", at: world.now });
    return STOP("DONE");
  }
  if (!asksPage || world.canTell) return furtherRules(job, world, delivers);
  const draft = structuredClone(job);
  const row = furtherRules(draft, world, delivers);
  const changes = row.action === "WAKE" || row.action === "BACKOFF" || draft.status === "EXHAUSTED";
  if (changes) return { action: "ERROR", reason: "TRUTH_UNAVAILABLE" };
  Object.assign(job, draft);
  return row;
}

function furtherRules(job: ModelJob, world: World, delivers: boolean): ModelRow {
  const { now } = world;
  if (isOver(job)) return STOP(job.status);

  const offer = job.offers.at(-1);
  const isAtWork = offer !== undefined && isLive(job, now) && isClaimed(job, offer.attempt);
  if (now >= job.deadline && !isAtWork) return exhaust(job, now, "DEADLINE");
  if (job.tokens >= job.budget && !isAtWork) return exhaust(job, now, "BUDGET");

  if (stopsAsBlocked(job)) {
    if (job.blocker !== undefined && job.knownBlocker === undefined) {
      job.status = "BLOCKED";
      job.knownBlocker = job.blocker;
    }
    return STOP("BLOCKED_UNCHANGED");
  }
  if (isBlocked(job)) {
    job.knownBlocker = job.blocker;
    job.blocker = undefined;
    job.status = isLive(job, now) ? "LEASED" : "OPEN";
  }

  const mailDue = delivers && owed(job) !== undefined;
  const mailLate = mailDue && now >= graceEnd(job, now);
  if (isLive(job, now)) return mailLate ? offerAgain(job, world, delivers, "REDELIVER") : STOP("LEASE_HELD");

  const ownWait = Math.min(job.base * 2 ** job.unclaimed, job.cap);
  if (mailLate && job.inBackoff && job.nextWakeAt - now <= ownWait) return offerAgain(job, world, delivers, "REDELIVER");
  if (now < job.nextWakeAt) return STOP("NOT_DUE");
  if (isHeld(job.harness)) {
    if (delivers) noteHold(job, now);
    return { action: "HOLD", reason: HOLD };
  }
  if (mailDue) return mailLate ? offerAgain(job, world, delivers, "REDELIVER") : STOP("MAIL_OWED");

  if (unanswered(job) !== undefined) {
    if (!job.inBackoff && isWoken(job)) {
      job.unclaimed++;
      return backOff(job, now, "UNCLAIMED", job.unclaimed);
    }
    job.inBackoff = false;
    return offerAgain(job, world, delivers, "REOFFER");
  }

  const isStalled = isWoken(job) && !job.inBackoff;
  if (isStalled && job.noProgress + 1 >= job.maxAttempts) return exhaust(job, now, "NO_PROGRESS");
  if (job.attempts >= job.maxAttempts) return exhaust(job, now, "MAX_ATTEMPTS");
  if (isStalled) {
    job.noProgress++;
    return backOff(job, now, "UNCHANGED_CHECKPOINT", job.noProgress);
  }

  job.attempts = 1 + Math.max(job.attempts, ...job.offers.map(({ attempt }) => attempt));
  job.inBackoff = false;
  return offerNow(job, world, delivers, "RUNNABLE", job.attempts);
}

function exhaust(job: ModelJob, at: number, reason: string): ModelRow {
  job.status = "EXHAUSTED";
  job.exhaustedFor = reason;
  job.lease = undefined;
  note(job, { event: "exhaust", attempt: "exhaust", at });
  return STOP(reason);
}

function backOff(job: ModelJob, now: number, reason: string, exponent: number): ModelRow {
  job.inBackoff = true;
  job.status = "OPEN";
  job.lease = undefined;
  job.nextWakeAt = now + Math.min(job.base * 2 ** exponent, job.cap);
  return { action: "BACKOFF", reason };
}

/** From when on the offer's mail may be sent once more; what carries a time from the future does not count. */
function graceEnd(job: ModelJob, now: number): number {
  const attempt = job.offers.at(-1)?.attempt;
  const mine = job.history.filter((entry) => entry.attempt === attempt && entry.at <= now);
  const failedAt = mine.findLastIndex(({ carrier }) => carrier === "FAILED");
  const failures = mine.slice(failedAt + 1).some(({ carrier }) => carrier === "MAIL") ? 0 : (mine[failedAt]?.count ?? 0);
  const grace = failures === 0 ? 60 : Math.min(60 * 2 ** failures, 3600, Math.max(60, job.cap));
  const starts = mine.flatMap(({ event, carrier, at }) => (event === "wake" || carrier === "FAILED" ? at : []));
  return Math.max(...starts, Number.NEGATIVE_INFINITY) + grace;
}

function offerAgain(job: ModelJob, world: World, delivers: boolean, reason: string): ModelRow {
  return offerNow(job, world, delivers, reason, job.offers.at(-1)?.attempt ?? 0);
}

function offerNow(job: ModelJob, world: World, delivers: boolean, reason: string, attempt: number): ModelRow {
  const { now, mails } = world;
  const isPromised = delivers || mails || job.offers.at(-1)?.isPromised === true;
  if (job.woken !== undefined && !isWoken(job)) job.noProgress = 0;
  job.woken = job.checkpoint;
  job.offers.push({ attempt, at: now, isPromised, isMailed: false, isReleased: false });
  const until = Math.max(now + job.leaseSeconds, job.lease?.until ?? 0);
  job.lease = { offer: job.offers.length, holder: TICKER, until };
  job.status = "LEASED";
  noteAgain(job, { event: "wake", attempt, at: now, promised: isPromised });
  return { action: "WAKE", reason, attempt };
}

export const TICKER = "gh-watchdog";

function noteHold(job: ModelJob, at: number): void {
  const event = "cursor_quota_hold";
  const [wakeAt, holdAt] = ["wake", event].map((name) => job.history.findLastIndex((entry) => entry.event === name));
  if (holdAt === -1 || (holdAt ?? 0) < (wakeAt ?? 0)) note(job, { event, attempt: "hold", at, carrier: HOLD });
}

/** Contract §4: what became of the mail of a pass that has just offered an attempt. */
export function modelMail(job: ModelJob, at: number, carrier: "MAIL" | "FAILED"): void {
  const offer = job.offers.at(-1);
  if (offer === undefined) return;
  const { attempt } = offer;
  const carriers = job.history.flatMap((entry) => (entry.attempt === attempt && entry.carrier ? entry.carrier : []));
  noteAgain(job, { event: "deliver", attempt, at, carrier }, carrier === "FAILED" && carriers.at(-1) === "MAIL");
  if (carrier === "MAIL") offer.isMailed = true;
}
