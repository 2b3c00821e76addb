import { CURSOR_QUOTA_HOLD, type HoldRule } from "./hold.ts";

/** One way to reach a Cursor carrier, and whether it is open (contract §5). */
export interface Road {
  readonly road: string;
  /** Whether anyone has seen this road work. */
  readonly measured: boolean;
  readonly enabled: boolean;
  readonly state: string;
}

const ROADS = [
  { road: "Slack app spawn", measured: true },
  { road: "this-run timer follow-up", measured: true },
  { road: "issue 1316 desktop doorbell", measured: true },
  { road: "ntfy mail", measured: true },
  { road: "resume of another run", measured: false },
] as const;

/** The roads to Cursor carriers under the holds in force. Claude's Slack app is not listed: it was never measured. */
export function roadsUnder(holds: readonly HoldRule[]): readonly Road[] {
  const isHeld = holds.some((hold) => hold.name === CURSOR_QUOTA_HOLD.name);
  return ROADS.map(({ road, measured }) => {
    if (!measured) return { road, measured, enabled: false, state: "UNMEASURED" };
    return { road, measured, enabled: !isHeld, state: isHeld ? CURSOR_QUOTA_HOLD.name : "OPEN" };
  });
}
