import { JobError } from "../errors/job-error.ts";
import type { PageState } from "../job/decide.ts";
import type { PageOracle, PagesAtHead } from "../pages/page-oracle.ts";

/** What one pass knows of pages: HEAD is resolved once, on the first need, and every answer is from that commit. */
export class PassPages {
  readonly #oracle: PageOracle;
  readonly #known = new Map<string, PageState>();
  #atHead: PagesAtHead | undefined;
  #failure: JobError | undefined;

  constructor(oracle: PageOracle) {
    this.#oracle = oracle;
  }

  get known(): ReadonlyMap<string, PageState> {
    return this.#known;
  }

  /** Finds out about these pages. Where the oracle cannot say they stay unknown, and {@link failure} says why. */
  async ask(addresses: readonly string[]): Promise<void> {
    if (addresses.length === 0 || this.#failure !== undefined) return;
    try {
      this.#atHead ??= await this.#oracle.atHead();
      for (const [address, state] of await this.#atHead.states([...new Set(addresses)])) this.#known.set(address, state);
    } catch (error) {
      if (!(error instanceof JobError)) throw error;
      this.#failure = error;
    }
  }

  /** Why the pages that were asked for are still unknown: only the jobs that needed one become errors (contract §3). */
  get failure(): JobError | undefined {
    return this.#failure;
  }
}
