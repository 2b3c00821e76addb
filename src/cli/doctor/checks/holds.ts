import { CONFIG_FILE } from "../../../config/config.ts";
import { rulesInForce } from "../../../holds/holds.ts";
import { findHold } from "../../../job/hold.ts";
import { isTerminal } from "../../../job/job.ts";
import type { Check } from "../check.ts";
import { type Finding, note, ok, trouble } from "../finding.ts";

export const holdsCheck: Check = {
  name: "holds",
  look: async (examined) => {
    const { place, configFault } = examined;
    const rules = await rulesInForce(await examined.fleet());
    const inForce = new Set(rules.map(({ name }) => name as string));
    const findings: Finding[] = rules.map(({ name, match }) => ok(`${name} covers names with ${match.join(", ")}`));
    const own = configFault === undefined ? (place.readConfigs().own.holds ?? {}) : {};
    for (const [name, { enabled }] of Object.entries(own)) {
      if (enabled !== false || !inForce.has(name)) continue;
      const means = `only ${CONFIG_FILE} as committed at the head of the remote's default branch lifts a hold`;
      const decision = `the owner decides: commit ${CONFIG_FILE} to the default branch and push it, or take the line out`;
      findings.push(trouble(`${CONFIG_FILE} here lifts ${name}, and it is in force all the same`, means, { decision }));
    }
    const jobs = await examined.jobs();
    const held = jobs.filter(
      ({ job }) => job !== undefined && !isTerminal(job.status) && findHold(rules, [job.harness]) !== undefined,
    );
    if (held.length > 0) {
      const ids = held.flatMap(({ job }) => job?.job_id ?? []);
      findings.push(note(`${named(ids)} held`, "no tick wakes them as long as the hold stands"));
    }
    return findings;
  },
};

const NAMES_MAX = 5;

/** So many names in words: `a, b and 3 more are`. */
export function named(names: readonly string[]): string {
  const told = names.slice(0, NAMES_MAX).join(", ");
  const more = names.length > NAMES_MAX ? ` and ${names.length - NAMES_MAX} more` : "";
  return `${told}${more} ${names.length === 1 ? "is" : "are"}`;
}
