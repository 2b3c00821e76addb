import type { PageOracle } from "../../src/pages/page-oracle.ts";

/** A git HEAD that holds these pages and no others. */
export function pagesHolding(...addresses: readonly string[]): PageOracle {
  return {
    atHead: async () => ({
      states: async (asked) => new Map(asked.map((address) => [address, addresses.includes(address) ? "durable" : "absent"])),
    }),
  };
}
