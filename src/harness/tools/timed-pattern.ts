import { createContext, Script } from "node:vm";
import { JobError } from "../../errors/job-error.ts";

const FIND = new Script("items.flatMap((item, index) => (pattern.test(item) ? [index] : []))");

/**
 * A regular expression that came from a model: some take longer than the universe lasts, and JavaScript runs them to their
 * end. This one is given up when its time is over.
 */
export class TimedPattern {
  readonly #context = createContext({ items: [] as readonly string[], pattern: /(?:)/ });

  /** Throws JobError USAGE for what is no regular expression. */
  constructor(source: string, flags: "" | "i" = "") {
    try {
      this.#context["pattern"] = new RegExp(source, flags);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      throw new JobError("USAGE", `${error.message}. Give a regular expression of JavaScript`);
    }
  }

  /** The indices of what matches. Throws JobError USAGE when that is not known within so many milliseconds. */
  matching(items: readonly string[], msMax: number): readonly number[] {
    this.#context["items"] = items;
    try {
      return [...(FIND.runInContext(this.#context, { timeout: Math.max(1, Math.ceil(msMax)) }) as readonly number[])];
    } catch (error) {
      // It comes from the context, and is an Error of there.
      const isLate =
        typeof error === "object" && error !== null && "code" in error && error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT";
      if (!isLate) throw error;
      throw new JobError("USAGE", "the pattern takes too long; give a simpler one, without one repetition inside another");
    }
  }
}
