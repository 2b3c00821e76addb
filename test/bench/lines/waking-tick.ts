import { spawnSync } from "node:child_process";
import { copyFileSync, rmSync } from "node:fs";
import { atNoon } from "../../support/noon.ts";
import { jobIds, writeJobs } from "../bench-jobs.ts";
import type { Measurement } from "../line.ts";
import { CLI, floorProgram, milliseconds, type Program, ticked } from "../machine.ts";

const RUNS = 7;

/** A tick that wakes every job, against writing as many bytes as durably. */
export const measurement: Measurement = {
  name: "waking-tick",
  measure(machine, { jobs, thoroughness }) {
    const fleet = machine.repository("due");
    const directory = `${fleet}/wake_jobs`;
    const before = (): void => {
      rmSync(directory, { recursive: true, force: true });
      writeJobs(directory, jobs, "2026-11-30T11:30:00Z");
      // Else the next fsync would pay for what was written here.
      spawnSync("sync");
    };
    const tick: Program = { args: [CLI, "--tick", "--now", atNoon()], cwd: fleet, before, check: ticked(jobs, "wake_count") };

    before();
    spawnSync(process.execPath, [...tick.args], { cwd: fleet });
    const samples = jobIds(2).map((jobId) => {
      copyFileSync(`${directory}/${jobId}.json`, `${fleet}/${jobId}.json`);
      return `${fleet}/${jobId}.json`;
    });
    const floor: Program = { args: [floorProgram("write-durably.mjs"), directory, ...samples], cwd: fleet, before };

    const [tickMs = 0, floorMs = 0] = machine.medianTimes([tick, floor], RUNS * thoroughness);
    return [
      {
        title: `tick that wakes ${jobs.toLocaleString("en")} jobs / write them durably`,
        measured: milliseconds(tickMs),
        floor: milliseconds(floorMs),
        ratio: tickMs / floorMs,
        limit: 1.8,
      },
    ];
  },
};
