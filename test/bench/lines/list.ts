import { atNoon } from "../../support/noon.ts";
import { writeJobs } from "../bench-jobs.ts";
import type { Line, Measurement } from "../line.ts";
import { CLI, floorProgram, type Machine, milliseconds, type Program } from "../machine.ts";

const RUNS = 9;
const FEW = 10;

/** What looking at a fleet costs: each job decided at every moment at which its answer may change, and printed. */
export const measurement: Measurement = {
  name: "list",
  measure(machine, { jobs, thoroughness }) {
    return [jobs / FEW, jobs].flatMap((count) => linesOver(machine, count, RUNS * thoroughness));
  },
};

function linesOver(machine: Machine, jobs: number, runs: number): Line[] {
  const fleet = machine.repository(`list-${jobs}`);
  writeJobs(`${fleet}/wake_jobs`, jobs, "2099-01-01T00:00:00Z");
  const program = (check: (stdout: string) => void, ...args: readonly string[]): Program => ({
    args: [CLI, ...args, "--now", atNoon()],
    cwd: fleet,
    check,
  });
  const json = program((stdout) => requireCount(JSON.parse(stdout).jobs.length, jobs), "list");
  // A line of headings and one of the place stand around the jobs.
  const table = program((stdout) => requireCount(stdout.trimEnd().split("\n").length - 2, jobs), "list", "--format", "table");
  const floor: Program = { args: [floorProgram("read-and-parse.mjs"), `${fleet}/wake_jobs`], cwd: fleet };
  const [jsonMs = 0, tableMs = 0, floorMs = 0] = machine.medianTimes([json, table, floor], runs);
  const of = `${jobs.toLocaleString("en")} jobs`;
  return [
    { title: `list of ${of} as JSON / read and parse`, ...against(jsonMs, floorMs) },
    { title: `list of ${of} as a table / read and parse`, ...against(tableMs, floorMs) },
  ];
}

function against(ms: number, floorMs: number): Pick<Line, "measured" | "floor" | "ratio"> {
  return { measured: milliseconds(ms), floor: milliseconds(floorMs), ratio: ms / floorMs };
}

function requireCount(found: number, wanted: number): void {
  if (found !== wanted) throw new Error(`list was to show ${wanted} jobs; it showed ${found}`);
}
