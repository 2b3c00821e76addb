import { spawnSync } from "node:child_process";
import { copyFileSync, renameSync } from "node:fs";
import { atNoon } from "../../support/noon.ts";
import { jobIds, writeJobs } from "../bench-jobs.ts";
import type { Measurement } from "../line.ts";
import { CLI, floorProgram, milliseconds, type Program, ticked } from "../machine.ts";

const RUNS = 7;

/** The run that makes samples, and one of each program that is not measured. */
const PREPARATIONS = 3;

/** A tick that wakes every job, against writing as many bytes as durably. */
export const measurement: Measurement = {
  name: "waking-tick",
  measure(machine, { jobs, thoroughness }) {
    const fleet = machine.repository("due");
    const directory = `${fleet}/wake_jobs`;
    const runs = Math.ceil(RUNS * thoroughness);
    // One directory per run, all made before the first and none removed before the last: for half a minute after it freed many
    // files a file system is slow to make new ones, and that depends on where they lie.
    for (let i = 0; i < 2 * runs + PREPARATIONS; i++) writeJobs(`${fleet}/fresh-${i}`, jobs, "2026-11-30T11:30:00Z");
    let turn = 0;
    const before = (): void => {
      if (turn > 0) renameSync(directory, `${fleet}/used-${turn}`);
      renameSync(`${fleet}/fresh-${turn++}`, directory);
      // Else the next fsync would pay for what was written before.
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

    const [tickMs = 0, floorMs = 0] = machine.medianTimes([tick, floor], runs);
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
