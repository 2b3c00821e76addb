import type { Command } from "commander";
import { JobError } from "../errors/job-error.ts";
import { STATUSES } from "../job/job.ts";
import { parseTime, type Seconds } from "../job/time.ts";
import type { FleetRow } from "../report/fleet-view.ts";
import { STATES } from "../report/job-state.ts";
import { requireDuration } from "./option-value.ts";

export interface FilterFlags {
  readonly status?: readonly string[];
  readonly owner?: string;
  readonly harness?: string;
  /** In seconds from now; true for what is due already. */
  readonly due?: Seconds | true;
}

/** A state as it can be typed without quotes: `mail-failing`. */
function typed(state: string): string {
  return state.replaceAll(" ", "-");
}

const WORDS: ReadonlySet<string> = new Set([...STATES.map(typed), ...STATUSES.map((status) => status.toLowerCase())]);

export function withFilters(command: Command): Command {
  return command
    .option(
      "--status <words>",
      `only jobs of these states or statuses, with commas between: ${STATES.map(typed).join(", ")}; ${STATUSES.join(", ")}`,
      requireWords,
    )
    .option("--owner <NAME>", "only jobs of this owner")
    .option("--harness <name>", "only jobs for this harness")
    .option("--due [duration]", "only jobs that a tick would move now, or within this long, like 1h", requireDuration);
}

/** Throws JobError USAGE for a word that no job could have. */
function requireWords(text: string): readonly string[] {
  const words = text.split(",").map((word) => typed(word.trim()).toLowerCase());
  const stray = words.find((word) => !WORDS.has(word));
  if (stray === undefined) return words;
  throw new JobError("USAGE", `--status: no job is "${stray}"; there are ${[...WORDS].join(", ")}`, { field: "status" });
}

/** Whether a row is wanted. A broken file tells neither owner nor harness, so it is left out where one is asked for. */
export function isWanted(row: FleetRow, { status, owner, harness, due }: FilterFlags, now: Seconds): boolean {
  const words = row.state === "broken" ? [row.state] : [typed(row.state), row.status.toLowerCase()];
  if (status !== undefined && !words.some((word) => status.includes(word))) return false;
  if (owner === undefined && harness === undefined && due === undefined) return true;
  if (row.state === "broken") return false;
  const movesAt = row.next === null ? undefined : parseTime(row.next.at);
  const isDue = movesAt !== undefined && movesAt <= now + (due === true ? 0 : (due ?? 0));
  return (
    (owner ?? row.owner_claim) === row.owner_claim && (harness ?? row.harness) === row.harness && (due === undefined || isDue)
  );
}
