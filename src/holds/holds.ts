import { CURSOR_QUOTA_HOLD, type HoldRule } from "../job/hold.ts";
import type { JobStore } from "../store/job-store.ts";

/** The holds of a fleet (contract §5). Every call asks for them, because holds change while a process runs. */
export interface Holds {
  /**
   * The rules in force now; the first one that matches counts. Throws JobError where the owner's config cannot be read and
   * could add a hold.
   */
  inForce(): Promise<readonly HoldRule[]>;
}

/** The store with which each fleet's holds were opened. Holds that are not in this map cannot leave the built-in one out. */
const openedWith = new WeakMap<Holds, JobStore>();

/** Makes holds that come from the owner's committed config. With this store, and only with it, they may lift the built-in one. */
export function ownersHolds(store: JobStore, inForce: Holds["inForce"]): Holds {
  const holds = Object.freeze({ inForce });
  openedWith.set(holds, store);
  return holds;
}

/** The rules that a call on this fleet must keep. A fleet that a caller puts together from parts always has the built-in hold. */
export async function rulesInForce({
  store,
  holds,
}: {
  readonly store: JobStore;
  readonly holds: Holds;
}): Promise<readonly HoldRule[]> {
  // A caller without types may still pass a list.
  const rules: readonly HoldRule[] = Array.isArray(holds) ? holds : await holds.inForce();
  return openedWith.get(holds) === store ? rules : [CURSOR_QUOTA_HOLD, ...rules];
}
