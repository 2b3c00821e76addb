import { CURSOR_QUOTA_HOLD, type HoldRule, isHoldName } from "../job/hold.ts";
import type { Config } from "./config.ts";

type Holds = NonNullable<Config["holds"]>;

/**
 * The holds in force (contract §5): the built-in one first, then those that either config adds. `readCommitted` gives the
 * holds of the config at git HEAD and is asked only when the local file claims a lift. A hold is lifted where both say so;
 * where it throws, every hold stands.
 */
export async function holdsInForce(local: Holds, readCommitted: () => Promise<Holds | undefined>): Promise<readonly HoldRule[]> {
  const committed = Object.values(local).some(isLift) ? await readCommitted().catch(() => "unreadable" as const) : {};
  if (committed === "unreadable") return [CURSOR_QUOTA_HOLD, ...addedBy([local])];
  const both = [local, committed ?? {}];
  const isBuiltInLifted = both.every((holds) => isLift(holds[CURSOR_QUOTA_HOLD.name]));
  return [...(isBuiltInLifted ? [] : [CURSOR_QUOTA_HOLD]), ...addedBy(both.map(withoutLifts))];
}

function isLift(hold: Holds[string] | undefined): boolean {
  return hold?.enabled === false;
}

function withoutLifts(holds: Holds): Holds {
  return Object.fromEntries(Object.entries(holds).filter(([, hold]) => !isLift(hold)));
}

/** The holds that any of the configs adds, in their order; one that several add covers the names of all. */
function addedBy(configs: readonly Holds[]): HoldRule[] {
  const names = new Set(configs.flatMap((holds) => Object.keys(holds)));
  names.delete(CURSOR_QUOTA_HOLD.name);
  return [...names].filter(isHoldName).map((name) => {
    const same = configs.flatMap((holds) => holds[name] ?? []);
    return { name, match: same.flatMap(({ match = [] }) => match), note: same.find(({ note }) => note)?.note ?? "" };
  });
}
