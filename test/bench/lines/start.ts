import { writeJobs } from "../bench-jobs.ts";
import type { Measurement } from "../line.ts";
import { CLI, milliseconds, type Program, ticked } from "../machine.ts";

const RUNS = 41;

/** A tick over one job is all start-up: what the command line itself costs. */
export const measurement: Measurement = {
  name: "start",
  measure(machine, { thoroughness }) {
    const fleet = machine.repository("one");
    writeJobs(`${fleet}/wake_jobs`, 1, "2099-01-01T00:00:00Z");
    const tick: Program = { args: [CLI, "--tick"], cwd: fleet, check: ticked(1, "stop_count") };
    const nothing: Program = { args: ["-e", "0"], cwd: fleet };
    const [tickMs = 0, nothingMs = 0] = machine.medianTimes([tick, nothing], RUNS * thoroughness);
    return [
      {
        title: "--tick over one job / node -e 0",
        measured: milliseconds(tickMs),
        floor: milliseconds(nothingMs),
        ratio: tickMs / nothingMs,
        limit: 2,
      },
    ];
  },
};
