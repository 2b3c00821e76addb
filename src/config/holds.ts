import { CURSOR_QUOTA_HOLD, type HoldRule } from "../job/hold.ts";
import type { Config } from "./config.ts";

type Holds = NonNullable<Config["holds"]>;

/**
 * The holds in force (contract §5): the built-in one first, then those that either config adds. `readCommitted` gives the
 * holds of the config at git HEAD and is asked only when the local file claims a lift. A hold is lifted where both say so;
 * where it throws, every hold stands.
 */
export async function holdsInForce(local: Holds, readCommitted: () => Promise<Holds | undefined>): Promise<readonly HoldRule[]> {
  const committed = Object.values(local).some(isLift) ? await readCommitted().catch(() => "unreadable" as const) : {};
  if (committed === "unreadable") return [CURSOR_QUOTA_HOLD, ...addedBy(local, () => true)];
  const both = [committed ?? {}, local];
  const isBuiltInLifted = both.every((holds) => isLift(holds[CURSOR_QUOTA_HOLD.name]));
  const added = addedBy({ ...local, ...committed }, (name) => both.some((holds) => holds[name] && !isLift(holds[name])));
  return [...(isBuiltInLifted ? [] : [CURSOR_QUOTA_HOLD]), ...added];
}

function isLift(hold: Holds[string] | undefined): boolean {
  return hold?.enabled === false;
}

function addedBy(holds: Holds, isInForce: (name: string) => boolean | undefined): HoldRule[] {
  return Object.entries(holds)
    .filter(([name]) => name !== CURSOR_QUOTA_HOLD.name && isInForce(name))
    .map(([name, hold]) => ({ name, match: hold.match ?? [], note: hold.note ?? "" }));
}
