import { findHold, type HoldRule } from "../job/hold.ts";
import { requireWorkerName } from "../job/worker-name.ts";

/** Who makes a call: looked at by holds, and written into receipts. */
export interface Caller {
  /** One line of 1 to 200 printable ASCII characters. */
  readonly workerId: string;
  /** The caller's own harness, where it has a name. */
  readonly harness?: string;
}

/** Throws JobError SCHEMA for a name that could not stand in a receipt. */
export function requireCaller({ workerId, harness }: Caller): void {
  requireWorkerName(workerId, "workerId");
  if (harness !== undefined) requireWorkerName(harness, "harness");
}

/** The hold that covers any of these names or the caller's own (contract §5). */
export function holdOver(rules: readonly HoldRule[], caller: Caller, names: readonly string[]): HoldRule | undefined {
  const own = caller.harness === undefined ? [caller.workerId] : [caller.workerId, caller.harness];
  return findHold(rules, [...names, ...own]);
}
