import { type Decision, decide, type TickFacts } from "../job/decide.ts";
import { type Job, momentOf } from "../job/job.ts";
import type { Seconds } from "../job/time.ts";
import { turningPoints } from "../job/turning-points.ts";

/** What a tick at some moment would decide, were the job still as it is. */
export interface Forecast {
  readonly at: Seconds;
  readonly decision: Decision;
}

/** What ticks make of a job by time alone. */
export interface Outlook {
  readonly now: Decision;
  /**
   * Since when ticks have decided so: since a moment that made it so, or since the job's last write where that came later.
   * Undefined where neither is known.
   */
  readonly since: Seconds | undefined;
  /** The next moment at which the answer is another. */
  readonly change: Forecast | undefined;
  /** The next moment, now included, at which a tick would wake, back off or end the job. */
  readonly move: Forecast | undefined;
}

/** Pure: asks `decide` at every moment at which its answer may change. Pages that it needs must be among the facts. */
export function outlookOf(job: Job, facts: TickFacts): Outlook {
  const decisionAt = (now: Seconds): Decision => decide(job, { ...facts, now });
  const now = decisionAt(facts.now);
  const points = turningPoints(job);
  const later = points.filter((at) => at > facts.now).map((at): Forecast => ({ at, decision: decisionAt(at) }));
  const earlier = points.filter((at) => at <= facts.now).reverse();
  return {
    now,
    since: latest(
      // One second before the moment the answer of before it still stands.
      earlier.find((at) => !isSameAnswer(decisionAt(at - 1), now)),
      writtenAt(job, facts.now),
    ),
    change: later.find(({ decision }) => !isSameAnswer(decision, now)),
    move: [{ at: facts.now, decision: now }, ...later].find(({ decision }) => isMove(decision)),
  };
}

/** What a clock that went back has written does not count. */
function writtenAt({ updated_at }: Job, now: Seconds): Seconds | undefined {
  const at = typeof updated_at === "string" ? momentOf(updated_at) : undefined;
  return at !== undefined && at <= now ? at : undefined;
}

function latest(...moments: readonly (Seconds | undefined)[]): Seconds | undefined {
  const known = moments.filter((moment) => moment !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}

/** Whether a tick would wake, back off or end the job: what an operator waits for. Notes of a hold or a blocker are none. */
export function isMove(decision: Decision): boolean {
  switch (decision.action) {
    case "WAKE":
    case "BACKOFF":
      return true;
    case "STOP":
      return decision.changes.some(({ kind }) => kind === "complete" || kind === "exhaust");
    case "HOLD":
    case "ASK_PAGE":
    case "CANNOT_TELL":
      return false;
  }
}

export function isSameAnswer(one: Decision, other: Decision): boolean {
  return one.action === other.action && reasonOf(one) === reasonOf(other);
}

/** In the words of a tick's row. */
export function reasonOf(decision: Decision): string {
  return decision.action === "ASK_PAGE" || decision.action === "CANNOT_TELL" ? "TRUTH_UNAVAILABLE" : decision.reason;
}
