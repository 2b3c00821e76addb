import { JobError } from "../errors/job-error.ts";
import type { PageState } from "../job/decide.ts";
import type { PageOracle, PagesAtHead } from "./page-oracle.ts";

/** What one call knows of pages: HEAD is resolved once, on the first need, and every answer is from that commit. */
export class KnownPages {
  readonly #oracle: PageOracle;
  readonly #states = new Map<string, PageState>();
  #atHead: PagesAtHead | undefined;
  #failure: JobError | undefined;

  constructor(oracle: PageOracle) {
    this.#oracle = oracle;
  }

  /** The pages asked for so far. */
  get states(): ReadonlyMap<string, PageState> {
    return this.#states;
  }

  /** Finds out about these pages. Where the oracle cannot say they are `unknown`, and {@link failure} says why. */
  async ask(addresses: Iterable<string>): Promise<void> {
    const asked = [...new Set(addresses)].filter((address) => !this.#states.has(address));
    if (asked.length === 0) return;
    for (const [address, state] of await this.#statesOf(asked)) this.#states.set(address, state);
  }

  async #statesOf(addresses: readonly string[]): Promise<ReadonlyMap<string, PageState>> {
    try {
      if (this.#failure === undefined) {
        this.#atHead ??= await this.#oracle.atHead();
        return await this.#atHead.states(addresses);
      }
    } catch (error) {
      if (!(error instanceof JobError)) throw error;
      this.#failure = error;
    }
    return new Map(addresses.map((address) => [address, "unknown"]));
  }

  /** Why pages are unknown. */
  get failure(): JobError | undefined {
    return this.#failure;
  }

  /** The state of one page, asked for now. Throws JobError TRUTH_UNAVAILABLE where the oracle cannot say. */
  async require(address: string): Promise<PageState> {
    await this.ask([address]);
    if (this.#failure !== undefined) throw this.#failure;
    return this.#states.get(address) ?? "unknown";
  }
}
