import type { Config } from "../config/config.ts";
import { CURSOR_QUOTA_HOLD, type HoldRule, isHoldName } from "../job/hold.ts";

type ConfiguredHolds = NonNullable<Config["holds"]>;

/**
 * The rules under the file store: the built-in hold first, then those that any of the configs adds. A hold is off where all of
 * them have it off. `committed` is undefined where it cannot be read; then every hold stands.
 */
export function rulesOfFiles(local: ConfiguredHolds, committed: readonly ConfiguredHolds[] | undefined): readonly HoldRule[] {
  if (committed === undefined) return [CURSOR_QUOTA_HOLD, ...addedBy([local])];
  const all = [local, ...committed];
  const isBuiltInLifted = committed.length > 0 && all.every(liftsBuiltIn);
  return [...(isBuiltInLifted ? [] : [CURSOR_QUOTA_HOLD]), ...addedBy(all.map(withoutLifts))];
}

/** The rules under the git store, where the committed config alone counts. */
export function rulesOfCommitted(committed: ConfiguredHolds, isLiftConfirmed: boolean): readonly HoldRule[] {
  return [...(isLiftConfirmed ? [] : [CURSOR_QUOTA_HOLD]), ...addedBy([withoutLifts(committed)])];
}

/**
 * The rules where the committed config is there and says nothing that can be read: it may well add a hold, so every harness
 * is held until it is mended.
 */
export function rulesOfUnreadable(why: string): readonly HoldRule[] {
  return [CURSOR_QUOTA_HOLD, { name: "UNREADABLE_CONFIG_HOLD", match: [EVERY_NAME], note: `${why}; mend it and push it` }];
}

/** Part of every name. */
const EVERY_NAME = "";

export function liftsBuiltIn(holds: ConfiguredHolds): boolean {
  return isLift(holds[CURSOR_QUOTA_HOLD.name]);
}

export function liftsAny(holds: ConfiguredHolds): boolean {
  return Object.values(holds).some(isLift);
}

function isLift(hold: ConfiguredHolds[string] | undefined): boolean {
  return hold?.enabled === false;
}

function withoutLifts(holds: ConfiguredHolds): ConfiguredHolds {
  return Object.fromEntries(Object.entries(holds).filter(([, hold]) => !isLift(hold)));
}

/** The holds that any of the configs adds, in their order; one that several add covers the names of all. */
function addedBy(configs: readonly ConfiguredHolds[]): HoldRule[] {
  const names = new Set(configs.flatMap((holds) => Object.keys(holds)));
  names.delete(CURSOR_QUOTA_HOLD.name);
  return [...names].filter(isHoldName).map((name) => {
    const same = configs.flatMap((holds) => holds[name] ?? []);
    return { name, match: same.flatMap(({ match = [] }) => match), note: same.find(({ note }) => note)?.note ?? "" };
  });
}
