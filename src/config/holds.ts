import { CURSOR_QUOTA_HOLD, type HoldRule } from "../job/hold.ts";
import type { Config } from "./config.ts";

type Holds = NonNullable<Config["holds"]>;

/**
 * The holds in force (contract §5): the built-in one first, then those that either config adds. `readCommitted` gives the
 * holds of the config at git HEAD and is asked only when the local file claims a lift; where it gives nothing, or throws,
 * the built-in hold stands.
 */
export async function holdsInForce(local: Holds, readCommitted: () => Promise<Holds | undefined>): Promise<readonly HoldRule[]> {
  if (!lifts(local)) return [CURSOR_QUOTA_HOLD, ...addedBy(local)];
  const committed = await readCommitted().catch(() => undefined);
  const builtIn = committed !== undefined && lifts(committed) ? [] : [CURSOR_QUOTA_HOLD];
  return [...builtIn, ...addedBy({ ...local, ...committed })];
}

function lifts(holds: Holds): boolean {
  return holds[CURSOR_QUOTA_HOLD.name]?.enabled === false;
}

function addedBy(holds: Holds): HoldRule[] {
  return Object.entries(holds)
    .filter(([name, hold]) => name !== CURSOR_QUOTA_HOLD.name && hold.enabled !== false)
    .map(([name, hold]) => ({ name, match: hold.match ?? [], note: hold.note ?? "" }));
}
