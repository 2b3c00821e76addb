import type { Fleet } from "../../src/fleet.ts";
import { ownersHolds } from "../../src/holds/holds.ts";
import type { HoldRule } from "../../src/job/hold.ts";
import { MemoryJobStore } from "../../src/store/memory-job-store.ts";

/** An empty fleet whose owner has committed these holds and no others. */
export function fleetUnder(...rules: readonly HoldRule[]): Pick<Fleet, "store" | "holds"> {
  const store = new MemoryJobStore();
  return { store, holds: ownersHolds(store, async () => rules) };
}
