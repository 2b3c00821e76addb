import { JobError } from "../errors/job-error.ts";
import { HARNESS } from "./patterns.ts";

/** Throws JobError SCHEMA for a name that could not stand in a receipt. `field` is how the message names it. */
export function requireWorkerName(name: unknown, field: string): void {
  if (typeof name === "string" && HARNESS.test(name)) return;
  throw new JobError("SCHEMA", `${field} must be one line of 1 to 200 printable ASCII characters`, { field });
}
