import { type Decision, decide, type RuleNumber, type TickFacts } from "../job/decide.ts";
import type { Job } from "../job/job.ts";
import { formatTime } from "../job/time.ts";
import { type Compared, EXPLAINED_RULES } from "./compared.ts";
import { Outlook, type RowWords, rowWordsOf } from "./outlook.ts";

/** One rule of contract §3 as it met the job. */
export interface RuleStep {
  readonly rule: RuleNumber;
  readonly when: string;
  /** `went on`: it matched, and left the answer to a later rule. */
  readonly outcome: "passed" | "went on" | "matched";
  readonly compared: Compared;
}

/** An answer of a tick, and the rule that gives it. */
export interface Answered extends RowWords {
  readonly rule: RuleNumber;
}

/** Why a tick decides as it does. A record as it is printed. */
export interface Explanation extends Answered {
  readonly job_id: string;
  readonly now: string;
  /** Whether it is about a tick that mails. */
  readonly deliver: boolean;
  readonly rules: readonly RuleStep[];
  /** When, by time alone, ticks answer otherwise; null where they never do. */
  readonly changes: (Answered & { readonly at: string }) | null;
}

/**
 * The rules that a tick passes on this job, and the one that matches: told by `decide` itself while it decides. Pure; pages
 * that rule 2 asks for must be among the facts.
 */
export function explain(job: Job, facts: TickFacts): Explanation {
  const change = new Outlook(job, facts).change();
  const rules: RuleStep[] = [];
  const decision = decide(job, facts, (rule, seen, ruling) => {
    const outcome = ruling === undefined ? "passed" : ruling.action === "GO_ON" ? "went on" : "matched";
    const { when, compared } = EXPLAINED_RULES[rule];
    rules.push({ rule, when, outcome, compared: compared(seen, facts) });
  });
  return {
    job_id: job.job_id,
    now: formatTime(facts.now),
    deliver: facts.deliver,
    ...answered(decision, rules.at(-1)?.rule ?? "13"),
    rules,
    changes:
      change === undefined
        ? null
        : { at: formatTime(change.at), ...answered(change.decision, deciding(job, { ...facts, now: change.at })) },
  };
}

function answered(decision: Decision, rule: RuleNumber): Answered {
  return { ...rowWordsOf(decision), rule };
}

/** The rule that gives the answer: the last one that is asked. */
function deciding(job: Job, facts: TickFacts): RuleNumber {
  let last: RuleNumber = "13";
  decide(job, facts, (rule) => {
    last = rule;
  });
  return last;
}
