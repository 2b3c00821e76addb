import { JobError } from "../../src/errors/job-error.ts";
import type { PageAtHead } from "../../src/job/decide.ts";
import type { PageOracle, PagesAtHead } from "../../src/pages/page-oracle.ts";

/** Pages as a set of durable addresses, and a log of what was asked. */
export class FakePages implements PageOracle {
  readonly durable: Set<string>;
  /** Set to make every further question fail: there is no git, or no network. */
  failure: JobError | undefined;
  resolutions = 0;
  readonly asked: (readonly string[])[] = [];
  /** Runs before a question is answered: a rival's chance to change a job under its page check. */
  onAsk: () => void = () => undefined;

  constructor(...durable: readonly string[]) {
    this.durable = new Set(durable);
  }

  async atHead(): Promise<PagesAtHead> {
    this.resolutions++;
    if (this.failure !== undefined) throw this.failure;
    return { states: (addresses) => this.#states(addresses) };
  }

  async #states(addresses: readonly string[]): Promise<ReadonlyMap<string, PageAtHead>> {
    this.asked.push(addresses);
    this.onAsk();
    if (this.failure !== undefined) throw this.failure;
    return new Map(addresses.map((address) => [address, this.isDurable(address) ? "durable" : "absent"]));
  }

  protected isDurable(address: string): boolean {
    return this.durable.has(address);
  }
}

export function noGit(): JobError {
  return new JobError("TRUTH_UNAVAILABLE", "git cannot say what stands at its head: no network");
}
