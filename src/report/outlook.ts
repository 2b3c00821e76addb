import { type Decision, decide, type TickFacts, type Verdict } from "../job/decide.ts";
import { type Job, momentOf } from "../job/job.ts";
import type { Seconds } from "../job/time.ts";
import { turningPoints } from "../job/turning-points.ts";

/** What a tick at some moment would decide, were the job still as it is. */
export interface Forecast {
  readonly at: Seconds;
  readonly decision: Decision;
}

/**
 * What ticks make of a job by time alone: `decide`, asked at the moments at which its answer may change. Pure. Pages that it
 * needs must be among the facts. Each question is worked out when it is asked, since a fleet is looked at whole.
 */
export class Outlook {
  readonly now: Decision;
  readonly #job: Job;
  readonly #facts: TickFacts;
  readonly #points: readonly Seconds[];

  constructor(job: Job, facts: TickFacts) {
    this.#job = job;
    this.#facts = facts;
    this.now = decide(job, facts);
    this.#points = turningPoints(job);
  }

  /** The next moment at which the answer is another; undefined where it never is. */
  change(): Forecast | undefined {
    return this.#firstLater((decision) => !isSameAnswer(decision, this.now));
  }

  /** The next moment, now included, at which a tick would wake, back off or end the job, or could not without its page. */
  move(): Forecast | undefined {
    const isWanted = (decision: Decision): boolean => isMove(decision) || isUnknown(decision);
    return isWanted(this.now) ? { at: this.#facts.now, decision: this.now } : this.#firstLater(isWanted);
  }

  /**
   * Since when ticks have decided so: since a moment that made it so, or since the job's last write where that came later.
   * Undefined where neither is known.
   */
  since(): Seconds | undefined {
    // One second before the moment the answer of before it still stands.
    const turned = this.#points.findLast((at) => at <= this.#facts.now && !isSameAnswer(this.#at(at - 1).decision, this.now));
    const written = writtenAt(this.#job, this.#facts.now);
    return turned === undefined || written === undefined ? (turned ?? written) : Math.max(turned, written);
  }

  #firstLater(isWanted: (decision: Decision) => boolean): Forecast | undefined {
    for (const at of this.#points) {
      if (at <= this.#facts.now) continue;
      const forecast = this.#at(at);
      if (isWanted(forecast.decision)) return forecast;
    }
    return undefined;
  }

  #at(at: Seconds): Forecast {
    return { at, decision: decide(this.#job, { ...this.#facts, now: at }) };
  }
}

/** What a clock that went back has written does not count. */
function writtenAt({ updated_at }: Job, now: Seconds): Seconds | undefined {
  const at = typeof updated_at === "string" ? momentOf(updated_at) : undefined;
  return at !== undefined && at <= now ? at : undefined;
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

function isSameAnswer(one: Decision, other: Decision): boolean {
  const [a, b] = [rowWordsOf(one), rowWordsOf(other)];
  return a.action === b.action && a.reason === b.reason;
}

/** Whether nobody can say what a tick does, since nobody can say whether the page stands. */
export function isUnknown(decision: Decision): decision is Extract<Decision, { readonly address: string }> {
  return decision.action === "ASK_PAGE" || decision.action === "CANNOT_TELL";
}

/** What a tick's row would say. */
export interface RowWords {
  readonly action: Verdict["action"] | "ERROR";
  readonly reason: string;
}

export function rowWordsOf(decision: Decision): RowWords {
  if (isUnknown(decision)) return { action: "ERROR", reason: "TRUTH_UNAVAILABLE" };
  return { action: decision.action, reason: decision.reason };
}
