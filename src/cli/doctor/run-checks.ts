import { JobError } from "../../errors/job-error.ts";
import { within } from "../../facts/pause.ts";
import type { Check } from "./check.ts";
import type { Examined } from "./examined.ts";
import { type Finding, trouble } from "./finding.ts";

/** Longer than git is waited for, and short enough that somebody still sits there. */
export const CHECK_MS_MAX = 120_000;

export type CheckedFinding = { readonly check: string } & Finding;

/** Makes every check, all at once, and gives what they found in their order. A check that fails or hangs is a finding. */
export async function runChecks(
  checks: readonly Check[],
  examined: Examined,
  checkMsMax = CHECK_MS_MAX,
): Promise<readonly CheckedFinding[]> {
  const findings = await Promise.all(checks.map((check) => findingsOf(check, examined, checkMsMax)));
  return checks.flatMap(({ name }, i) => (findings[i] ?? []).map((finding) => ({ check: name, ...finding })));
}

async function findingsOf(check: Check, examined: Examined, checkMsMax: number): Promise<readonly Finding[]> {
  try {
    return await within(checkMsMax, (async () => check.look(examined))());
  } catch (error) {
    if (error instanceof JobError) {
      const decision = `mend that first, then ask again: harness-wake doctor`;
      return [trouble(error.message, `${check.name} could not be looked at`, { decision })];
    }
    const why = error instanceof Error ? error.message : String(error);
    const decision = "report it, with what harness-wake doctor --json says";
    return [trouble(`this check failed: ${why}`, "it is a bug, or something that hangs; the other checks hold", { decision })];
  }
}
