import { nameOf } from "../../../report/fleet-view.ts";
import type { State } from "../../../report/job-state.ts";
import type { Check } from "../check.ts";
import type { Examined } from "../examined.ts";
import { type Finding, ok, type Remedy, trouble } from "../finding.ts";

/** So many jobs of one state are told; they mostly have one cause. */
const JOBS_MAX = 10;

interface NeedCheck {
  readonly name: string;
  readonly states: readonly State[];
  readonly means: string;
  /** What is said where no job is in such a state. */
  readonly none: string;
  /** A command that mends it, where there is one; otherwise what the job's own need says is a person's to do. */
  remedy?(examined: Examined): Remedy;
}

/** A check of the jobs that need a person for one kind of reason (contract §14), told as `status` tells it. */
function needCheck({ name, states, means, none, remedy }: NeedCheck): Check {
  return {
    name,
    look: async (examined) => {
      const rows = (await examined.jobs())
        .map(({ row }) => row)
        .filter(({ state, need }) => need !== null && states.includes(state));
      const findings = rows.slice(0, JOBS_MAX).flatMap((row): readonly Finding[] => {
        if (row.need === null) return [];
        const own = remedy?.(examined) ?? { decision: row.need.remedy };
        return [trouble(`${nameOf(row)} (${row.state}): ${row.need.why}`, means, own)];
      });
      if (rows.length > JOBS_MAX) {
        const command = `harness-wake status --status ${states.map((state) => state.replaceAll(" ", "-")).join(",")}`;
        findings.push(trouble(`and ${rows.length - JOBS_MAX} more`, means, { command }));
      }
      return findings.length === 0 ? [ok(none)] : findings;
    },
  };
}

export const overdueCheck = needCheck({
  name: "overdue jobs",
  states: ["overdue", "mail owed"],
  means: "a tick should have moved it an hour ago or more",
  none: "no job is overdue",
  remedy: ({ place, isGitStore }) => {
    const how = place.settings.ntfy.urls.length > 0 ? " --deliver" : isGitStore ? " --land" : "";
    return { command: `harness-wake --tick${how}` };
  },
});

export const unclaimedCheck = needCheck({
  name: "offers",
  states: ["unclaimed"],
  means: "no harness takes it up, so it is offered again and again until its deadline",
  none: "no offer waits in vain",
});

export const failingMailCheck = needCheck({
  name: "mail",
  states: ["mail failing"],
  means: "its mail is owed, and tried again at growing intervals",
  none: "no mail fails",
});

export const waitingForPersonCheck = needCheck({
  name: "stopped jobs",
  states: ["exhausted", "blocked", "page unknown"],
  means: "no tick wakes it as things are",
  none: "no job is blocked or exhausted",
});
