import type { OpenedFleet } from "../compose.ts";
import type { Job } from "../job/job.ts";
import type { Seconds } from "../job/time.ts";
import { type FleetRow, rowOf } from "../report/fleet-view.ts";
import type { Environment } from "./environment.ts";
import { EXIT, type ExitCode } from "./exit-code.ts";
import { type FilterFlags, isWanted } from "./fleet-filter.ts";
import { lookAt } from "./fleet-look.ts";
import { recordOf } from "./fleet-record.ts";
import { tell } from "./report.ts";

/** A job file among others: what is seen of it, and the job itself where it is one. */
export interface SeenJob {
  readonly row: FleetRow;
  readonly job: Job | undefined;
}

export interface FleetRows {
  /** Those that the filters want, in the order of their names. */
  readonly seen: readonly SeenJob[];
  readonly now: Seconds;
  /** Whether every job file could be read, wanted or not. */
  readonly areAllReadable: boolean;
  readonly exit: ExitCode;
}

/** Looks at a whole fleet. A broken file is told on stderr, and stands among the rows. */
export async function fleetRows(fleet: OpenedFleet, filters: FilterFlags, environment: Environment): Promise<FleetRows> {
  const { entries, facts, knowsPages } = await lookAt(fleet, [...(await fleet.store.scan())], environment);
  for (const { error } of entries) if (error !== undefined) tell(error.message, environment);
  const areAllReadable = entries.every(({ error }) => error === undefined);
  const { now } = facts;
  return {
    seen: entries.map((entry) => ({ row: rowOf(entry, facts), job: entry.job })).filter(({ row }) => isWanted(row, filters, now)),
    now,
    areAllReadable,
    exit: areAllReadable && knowsPages ? EXIT.done : EXIT.partly,
  };
}

/** A job with all that is known of it: its own fields, and what is seen of it. Fields for `--json` are chosen from these. */
export function wholeOf({ row, job }: SeenJob): object {
  return { ...job, ...recordOf(row) };
}
