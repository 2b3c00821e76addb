import { JobError } from "../errors/job-error.ts";
import type { Answer } from "../fleet.ts";
import { findHold, type HoldRule } from "../job/hold.ts";
import { HARNESS } from "../job/patterns.ts";

/** Who makes a call: looked at by holds, and written into receipts. */
export interface Caller {
  readonly workerId: string;
  /** The caller's own harness, where it has a name. */
  readonly harness?: string;
}

/** Throws JobError SCHEMA for a name that could not stand in a receipt. */
export function requireCaller({ workerId, harness }: Caller): void {
  requireName(workerId, "workerId");
  if (harness !== undefined) requireName(harness, "harness");
}

function requireName(name: unknown, field: string): void {
  if (typeof name === "string" && HARNESS.test(name)) return;
  throw new JobError("SCHEMA", `${field} must be one line of 1 to 200 printable ASCII characters`, { field });
}

/** The hold that covers any of these names or the caller's own (contract §5). */
export function holdOver(rules: readonly HoldRule[], caller: Caller, names: readonly string[]): HoldRule | undefined {
  const own = caller.harness === undefined ? [caller.workerId] : [caller.workerId, caller.harness];
  return findHold(rules, [...names, ...own]);
}

/** What every call answers for a held job: nothing is wrong, and nothing happens. */
export function heldAnswer(hold: HoldRule, job_id: string, attempt_id: string | undefined): Answer {
  const message = `${hold.name} covers this job: ${hold.note}`;
  return { ok: true, state: hold.name, invoke_model: false, job_id, attempt_id, message };
}
