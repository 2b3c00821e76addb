import type { PageOracle, PagesAtHead } from "../../src/pages/page-oracle.ts";

/** A git HEAD whose pages a test puts up and takes down, and which counts how often it was asked. */
export class FakePages implements PageOracle {
  readonly durable = new Set<string>();
  questions = 0;

  async atHead(): Promise<PagesAtHead> {
    return {
      states: async (addresses) => {
        this.questions++;
        return new Map(addresses.map((address) => [address, this.durable.has(address) ? "durable" : "absent"]));
      },
    };
  }
}
