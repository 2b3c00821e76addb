import type { Clock } from "../../facts/clock.ts";
import type { ErrorKind } from "../error-kind.ts";
import { type Answer, NOTHING_TOLD } from "./answer.ts";
import { type FailingSince, type Failure, judgeFailure } from "./failure.ts";
import type { Refusal } from "./refusal.ts";
import { addTokens, countedTokens, NO_TOKENS, type Tokens } from "./tokens.ts";

/** What one run has used so far, answers under way included. */
export interface RunUsage extends Tokens {
  /** `input + output + cacheWrite`: what counts against the job's budget (contract §11). */
  readonly counted: number;
  /** Calls that were sent to the API. */
  readonly calls: number;
  /** Answers that did not tell all their tokens. Where there are any, the counts are what is known at least. */
  readonly uncountedAnswers: number;
  /** Why the agent was told to end; null if it was not. */
  readonly refusal: Refusal | null;
  /** What went wrong with the latest call; null once one is answered well. A refusal's kind stays. */
  readonly lastError: ErrorKind | null;
}

/**
 * An answer is uncounted when its stream breaks off, or when the API tells no usage. A few happen on a bad network. With more
 * the budget would bound nothing, so the run ends.
 */
export const UNCOUNTED_ANSWERS_MAX = 8;

export interface RunLedgerOptions {
  /** Tokens that the run may use. A call is made as long as fewer are counted, so the last ones may go past it. */
  readonly budgetTokens: number;
  /** How long the API may fail in a row before the run ends. */
  readonly patienceMs: number;
  readonly clock: Clock;
}

/** The count of one answer. */
export interface AnswerAccount {
  /** What the answer has told by now. Gives whether that moved the run's counts. */
  tell(answer: Answer): boolean;
  /** The answer is over: to its end, or broken off. */
  settle(): void;
}

/** Keeps the count of one run, and says whether it may make another call. */
export class RunLedger {
  readonly #options: RunLedgerOptions;
  readonly #underWay = new Set<{ readonly answer: Answer }>();
  #settled: Tokens = NO_TOKENS;
  #calls = 0;
  #uncountedAnswers = 0;
  #failing: FailingSince | null = null;
  #refusal: Refusal | null = null;
  #lastError: ErrorKind | null = null;

  constructor(options: RunLedgerOptions) {
    this.#options = options;
  }

  usage(): RunUsage {
    const tokens = [...this.#underWay].reduce((sum, { answer }) => addTokens(sum, answer.tokens), this.#settled);
    return {
      ...tokens,
      counted: countedTokens(tokens),
      calls: this.#calls,
      uncountedAnswers: this.#uncountedAnswers,
      refusal: this.#refusal,
      lastError: this.#refusal?.kind ?? this.#lastError,
    };
  }

  /** Why no call may be made; null where one may. A run that was refused once is refused for ever. */
  refusal(): Refusal | null {
    const { budgetTokens } = this.#options;
    const { counted } = this.usage();
    if (counted >= budgetTokens) {
      this.refuse({ kind: "budget", message: `the token budget is used up (${counted} of ${budgetTokens})` });
    } else if (this.#uncountedAnswers >= UNCOUNTED_ANSWERS_MAX) {
      const message = `${this.#uncountedAnswers} answers did not tell their tokens, so that the budget cannot be kept; ask for usage (Chat Completions: stream_options.include_usage)`;
      this.refuse({ kind: "budget", message });
    }
    return this.#refusal;
  }

  /** The first reason stays. */
  refuse(refusal: Refusal): Refusal {
    this.#refusal ??= refusal;
    return this.#refusal;
  }

  /** A call goes to the API. */
  begin(): void {
    this.#calls++;
  }

  /** The API began to answer well. */
  open(): AnswerAccount {
    const entry = { answer: NOTHING_TOLD };
    this.#underWay.add(entry);
    return {
      tell: (answer) => {
        const isNew = answer.tokens !== entry.answer.tokens;
        entry.answer = answer;
        return isNew;
      },
      settle: () => {
        this.#underWay.delete(entry);
        this.#settled = addTokens(this.#settled, entry.answer.tokens);
        // What ended in an error of the API is not billed as a whole answer.
        if (!entry.answer.isCounted && entry.answer.error === null) this.#uncountedAnswers++;
      },
    };
  }

  /** An answer came to its end, if only to tell of an error. */
  answered(error: ErrorKind | null): void {
    if (error === null) this.#failing = this.#lastError = null;
    else this.fail({ kind: error, what: "an error in its answer" });
  }

  /** Notes a failure, and says whether it ends the run. */
  fail(failure: Failure): Refusal | null {
    const { clock, patienceMs } = this.#options;
    const { failing, refusal } = judgeFailure(failure, this.#failing, clock.monotonic(), patienceMs);
    this.#failing = failing;
    this.#lastError = failure.kind;
    return refusal === null ? this.#refusal : this.refuse(refusal);
  }
}
