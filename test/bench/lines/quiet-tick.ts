import { atNoon } from "../../support/noon.ts";
import { writeJobs } from "../bench-jobs.ts";
import type { Line, Measurement } from "../line.ts";
import { CLI, floorProgram, type Machine, mebibytes, milliseconds, type Program, ticked } from "../machine.ts";

const LATER = "2099-01-01T00:00:00Z";
const RUNS = 15;
const RUNS_OF_MANY = 5;
const RUNS_FOR_PEAK = 5;
const MANY = 10;

/** A tick that finds nothing to do, which is nearly every tick: its time, its memory, and how both grow. */
export const measurement: Measurement = {
  name: "quiet-tick",
  measure(machine, { jobs, thoroughness, quick }) {
    const fleet = machine.repository("quiet");
    writeJobs(`${fleet}/wake_jobs`, jobs, LATER);
    const tick = quietTick(fleet, jobs);
    const floor: Program = { args: [floorProgram("read-and-parse.mjs"), `${fleet}/wake_jobs`], cwd: fleet };
    const [tickMs = 0, floorMs = 0] = machine.medianTimes([tick, floor], RUNS * thoroughness);
    const [tickPeak = 0, floorPeak = 0] = machine.medianPeaks([tick, floor], RUNS_FOR_PEAK * thoroughness);
    const many = quick ? [] : [growth(machine, tick, jobs, RUNS_OF_MANY * thoroughness)];
    const of = `${jobs.toLocaleString("en")} jobs not due`;
    return [
      {
        title: `quiet tick over ${of} / read and parse`,
        measured: milliseconds(tickMs),
        floor: milliseconds(floorMs),
        ratio: tickMs / floorMs,
        limit: 1.8,
      },
      {
        title: `peak memory of the same / read and parse`,
        measured: mebibytes(tickPeak),
        floor: mebibytes(floorPeak),
        ratio: tickPeak / floorPeak,
        limit: 2.5,
      },
      ...many,
    ];
  },
};

function quietTick(fleet: string, jobs: number): Program {
  return { args: [CLI, "--tick", "--now", atNoon()], cwd: fleet, check: ticked(jobs, "stop_count") };
}

function growth(machine: Machine, tick: Program, jobs: number, runs: number): Line {
  const manyJobs = jobs * MANY;
  const fleet = machine.repository("quiet-many");
  writeJobs(`${fleet}/wake_jobs`, manyJobs, LATER);
  const [manyMs = 0, fewMs = 0] = machine.medianTimes([quietTick(fleet, manyJobs), tick], runs);
  return {
    title: `a job among ${manyJobs.toLocaleString("en")} / among ${jobs.toLocaleString("en")}`,
    measured: microseconds(manyMs / manyJobs),
    floor: microseconds(fewMs / jobs),
    ratio: manyMs / manyJobs / (fewMs / jobs),
    limit: 1.5,
  };
}

function microseconds(ms: number): string {
  return `${(ms * 1000).toFixed(1)} µs`;
}
