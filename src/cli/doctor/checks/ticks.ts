import { existsSync } from "node:fs";
import { join } from "node:path";
import { readBoundedFile } from "../../../facts/read-bounded-file.ts";
import { isTerminal } from "../../../job/job.ts";
import { formatTime, parseTime, type Seconds } from "../../../job/time.ts";
import { OVERDUE_SECONDS } from "../../../report/job-state.ts";
import { type KnownWake, tickHistoryOf } from "../../../report/tick-history.ts";
import { relativeTime } from "../../relative-time.ts";
import { WORKFLOW_FILE } from "../../workflow-plan.ts";
import type { Check } from "../check.ts";
import type { Examined } from "../examined.ts";
import { note, ok, type Remedy, trouble } from "../finding.ts";

const WEEK = 7 * 86_400;

export const ticksCheck: Check = {
  name: "ticks",
  look: async (examined) => {
    const { now } = examined;
    const jobs = await examined.jobs();
    const heartbeat = lastTick(examined);
    const { passes, wakes } = tickHistoryOf(jobs.flatMap(({ job }) => job ?? []));
    const isInWeek = (at: Seconds): boolean => at >= now - WEEK && at <= now;
    const moments = passes.filter(isInWeek);
    const last = [...passes, ...(heartbeat === undefined ? [] : [heartbeat])].filter((at) => at <= now).sort((a, b) => b - a)[0];
    const isLate = jobs.some(({ row }) => row.state === "overdue");
    if (last === undefined || last < now - WEEK) {
      const found =
        last === undefined ? "no tick has left a trace in the last week" : `the last tick came at ${formatTime(last)}`;
      if (isLate) return [trouble(found, "jobs are due, and nothing ticks", remedyFor(examined))];
      return [note(found, "a tick that changes nothing leaves none on a branch", remedyFor(examined))];
    }
    const found = [
      `${moments.length} ticks of the last week left a trace`,
      `the last at ${formatTime(last)} (${relativeTime(formatTime(last), now)})`,
      ...longestGap(moments),
      ...latestWake(wakes.filter(({ at }) => isInWeek(at))),
    ];
    const isWaited = jobs.some(({ job }) => job !== undefined && !isTerminal(job.status));
    const isStill = heartbeat !== undefined && isWaited && now - last >= OVERDUE_SECONDS;
    if (!isLate && !isStill) return [ok(found.join("; "))];
    return [trouble(found.join("; "), "ticks do not come as a schedule of every 15 minutes has them", remedyFor(examined))];
  },
};

/** The pass that the jobs directory of a file store remembers, whatever it changed. */
function lastTick({ place, isGitStore }: Examined): Seconds | undefined {
  if (isGitStore) return undefined;
  try {
    const found = readBoundedFile(join(place.jobsDirectory, "_last_tick.json"), BYTES_MAX);
    const { now } = found.kind === "content" ? JSON.parse(found.bytes.toString()) : {};
    return typeof now === "string" ? parseTime(now) : undefined;
  } catch {
    return undefined;
  }
}

const BYTES_MAX = 64 * 1024;

function longestGap(moments: readonly Seconds[]): readonly string[] {
  const gaps = moments.slice(1).map((at, i) => ({ from: moments[i] ?? at, seconds: at - (moments[i] ?? at) }));
  const longest = gaps.sort((a, b) => b.seconds - a.seconds)[0];
  if (longest === undefined) return [];
  return [`the longest time between two was ${hours(longest.seconds)}, from ${formatTime(longest.from)}`];
}

function latestWake(wakes: readonly KnownWake[]): readonly string[] {
  const latest = wakes.toSorted((a, b) => b.at - b.due - (a.at - a.due))[0];
  return latest === undefined ? [] : [`a wake came up to ${hours(latest.at - latest.due)} late (${latest.attempt_id})`];
}

function hours(seconds: number): string {
  return seconds < 2 * 3600 ? `${Math.round(seconds / 60)} minutes` : `${Math.round(seconds / 3600)} hours`;
}

function remedyFor({ place }: Examined): Remedy {
  if (existsSync(join(place.root, WORKFLOW_FILE))) {
    return {
      decision:
        "see on GitHub whether its runs fail, and whether it was disabled after 60 quiet days: gh workflow enable job-watchdog.yml",
    };
  }
  return {
    decision: "let something tick: harness-wake init for a workflow, or harness-wake --tick --every 60s on a host of your own",
  };
}
