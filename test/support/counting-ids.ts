import type { Ids } from "../../src/facts/ids.ts";

/** Identities in the order in which they were drawn: `lease-1`, `claim-2`, … */
export class CountingIds implements Ids {
  #drawn = 0;

  leaseId(): string {
    return `lease-${++this.#drawn}`;
  }

  claimId(): string {
    return `claim-${++this.#drawn}`;
  }
}
