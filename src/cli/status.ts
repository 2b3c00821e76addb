import type { OpenedFleet } from "../compose.ts";
import { JobError } from "../errors/job-error.ts";
import { catchStopSignals } from "../facts/stop-signals.ts";
import { formatTime } from "../job/time.ts";
import { byUrgency, sumsOf } from "../report/fleet-view.ts";
import type { Environment } from "./environment.ts";
import { withExample } from "./example.ts";
import { EXIT } from "./exit-code.ts";
import { type FilterFlags, withFilters } from "./fleet-filter.ts";
import { type FleetOptions, openFleetFor, withFleetOptions } from "./fleet-options.ts";
import { recordOf } from "./fleet-record.ts";
import { fleetRows, wholeOf } from "./fleet-rows.ts";
import { requireDuration } from "./option-value.ts";
import { type Report, tell } from "./report.ts";
import type { Cli } from "./verb.ts";

type StatusFlags = FleetOptions & FilterFlags & { readonly watch?: number | true };

const WATCH_SECONDS = 10;

export function addStatusVerb({ program, environment, report, show, isForPeople }: Cli): void {
  const verb = program.command("status").description("say how the fleet stands: first what needs a person");
  withExample(withFilters(withFleetOptions(verb)), "harness-wake status --owner HARBOR --due 1h")
    .option("--watch [every]", `look again and again, every ${WATCH_SECONDS}s or as given, until told to stop`, requireDuration)
    .action(async (flags: StatusFlags) => {
      const fleet = await openFleetFor(flags, environment);
      if (flags.watch === undefined) {
        report(await statusOf(fleet, flags, environment));
        return;
      }
      const seconds = Math.max(1, flags.watch === true ? WATCH_SECONDS : flags.watch);
      const signals = catchStopSignals();
      while (!signals.stopping.aborted) {
        const next = await lookAgain(fleet, flags, environment);
        if (next !== undefined) {
          if (isForPeople && environment.stdoutIsTerminal) environment.out(HOME_AND_CLEAR);
          if (!(await show(next))) break;
        }
        await environment.pause(seconds * 1000, signals.stopping);
      }
      signals.release();
      report({ record: undefined, text: () => "", exit: EXIT.done });
    });
}

/** One of many looks: a remote that is away for a while is told, and ends none of the looks to come. */
async function lookAgain(fleet: OpenedFleet, flags: StatusFlags, environment: Environment): Promise<Report | undefined> {
  try {
    return await statusOf(fleet, flags, environment);
  } catch (error) {
    if (!(error instanceof JobError)) throw error;
    tell(error.message, environment);
    return undefined;
  }
}

/** Puts the cursor to the top of a terminal and clears what is below, so that each look stands where the last one did. */
const HOME_AND_CLEAR = "\u001b[H\u001b[J";

async function statusOf(fleet: OpenedFleet, flags: StatusFlags, environment: Environment): Promise<Report> {
  const { seen, now, areAllReadable, exit } = await fleetRows(fleet, flags, environment);
  const sorted = byUrgency(seen);
  const rows = sorted.map(({ row }) => row);
  return {
    record: {
      ok: areAllReadable,
      state: "STATUS",
      now: formatTime(now),
      store: fleet.store.kind,
      jobs: rows.map(recordOf),
      sums: sumsOf(rows),
    },
    rows: () => sorted.map(wholeOf),
    text: async (screen) => (await import("./status-text.ts")).statusLines(rows, now, fleet, screen),
    exit,
  };
}
