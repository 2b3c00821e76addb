import { CURSOR_QUOTA_HOLD, type HoldRule } from "../job/hold.ts";
import type { JobStore } from "../store/job-store.ts";

/** The holds over a fleet (contract §5). Every call asks for them, since a process can outlive a hold. */
export interface Holds {
  /**
   * The rules that stand now, the first match first. Throws JobError where it must be known which holds were added and that
   * cannot be read.
   */
  inForce(): Promise<readonly HoldRule[]>;
}

/** The store that each owner's holds were opened with. Holds that are not in here cannot leave the built-in one out. */
const openedWith = new WeakMap<Holds, JobStore>();

/** Marks holds as read from the owner's committed config: with this store, and only with it, they may lift the built-in one. */
export function ownersHolds(store: JobStore, inForce: Holds["inForce"]): Holds {
  const holds = Object.freeze({ inForce });
  openedWith.set(holds, store);
  return holds;
}

/** The rules that a call on this fleet must keep: whoever puts a fleet together from parts has the built-in hold in it. */
export async function rulesInForce({
  store,
  holds,
}: {
  readonly store: JobStore;
  readonly holds: Holds;
}): Promise<readonly HoldRule[]> {
  // A caller without types may still hand in a list.
  const rules: readonly HoldRule[] = Array.isArray(holds) ? holds : await holds.inForce();
  return openedWith.get(holds) === store ? rules : [CURSOR_QUOTA_HOLD, ...rules];
}
