import type { Ids } from "../../src/facts/ids.ts";

/** Ids that count: `lease-1`, `lease-2`, so that two runs over the same jobs name things alike. */
export function countingIds(): Ids {
  let leases = 0;
  let claims = 0;
  return { leaseId: () => `lease-fresh-${++leases}`, claimId: () => `claim-fresh-${++claims}` };
}
