import type { Life } from "../../facts/process-life.ts";

/** The name of the lock's one file, the baton, while nobody holds the lock. */
export const FREE = "free";

/** Who holds the lock, as the baton's name says while it is held. */
export interface Holder {
  /** Drawn anew for every turn, so that no two turns share a name. */
  readonly token: string;
  readonly life: Life | undefined;
}

const HELD = /^held-([0-9a-f]{24})(?:-([0-9a-f]{12})-(\d{1,20})-(\d{1,10})-(\d{1,10})-(\d{1,20}))?$/;

export function isBaton(name: string): boolean {
  return name === FREE || name.startsWith("held-");
}

export function heldName({ token, life }: Holder): string {
  if (life === undefined) return `held-${token}`;
  return `held-${token}-${life.boot}-${life.pidNamespace}-${life.pid}-${life.thread}-${life.startedAt}`;
}

/** The holder that a baton's name tells of; undefined for a name of another version's, or of nobody's. */
export function holderOf(name: string): Holder | undefined {
  const [, token, boot, pidNamespace, pid, thread, startedAt] = HELD.exec(name) ?? [];
  if (token === undefined) return undefined;
  const isWhole = boot !== undefined && pidNamespace !== undefined && startedAt !== undefined;
  return { token, life: isWhole ? { boot, pidNamespace, pid: Number(pid), thread: Number(thread), startedAt } : undefined };
}

/** The directory that a holder touches while it works, so that others see it live. */
export function heartbeatName(token: string): string {
  return `beat-${token}`;
}

const HEARTBEAT = /^beat-[0-9a-f]{24}$/;

export function isHeartbeat(name: string): boolean {
  return HEARTBEAT.test(name);
}
