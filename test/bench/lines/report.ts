import { statSync } from "node:fs";
import { join } from "node:path";
import { atNoon } from "../../support/noon.ts";
import { writeJobs } from "../bench-jobs.ts";
import type { Line, Measurement } from "../line.ts";
import { CLI, floorProgram, type Machine, mebibytes, milliseconds, type Program } from "../machine.ts";

const LATER = "2099-01-01T00:00:00Z";
const RUNS = 7;
const FEW = 1_000;

/** The page of a fleet: what it takes to draw, over reading the same files. */
export const measurement: Measurement = {
  name: "report",
  measure: (machine, { jobs, thoroughness, quick }) =>
    (quick ? [FEW] : [FEW, jobs]).map((count) => reportLine(machine, count, RUNS * thoroughness)),
};

function reportLine(machine: Machine, count: number, runs: number): Line {
  const fleet = machine.repository(`report-${count}`);
  writeJobs(`${fleet}/wake_jobs`, count, LATER);
  const report: Program = {
    args: [CLI, "report", "--now", atNoon(), "--out", "wake.html"],
    cwd: fleet,
    check: (stdout) => {
      const { job_count } = JSON.parse(stdout);
      if (job_count !== count) throw new Error(`the page was to show ${count} jobs; it shows ${job_count}`);
    },
  };
  const floor: Program = { args: [floorProgram("read-and-parse.mjs"), `${fleet}/wake_jobs`], cwd: fleet };
  const [reportMs = 0, floorMs = 0] = machine.medianTimes([report, floor], runs);
  const size = mebibytes(statSync(join(fleet, "wake.html")).size);
  return {
    title: `report over ${count.toLocaleString("en")} jobs, a page of ${size} / read and parse`,
    measured: milliseconds(reportMs),
    floor: milliseconds(floorMs),
    ratio: reportMs / floorMs,
  };
}
