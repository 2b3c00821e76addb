import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { MAILS_AT_ONCE } from "../../../src/mail/ntfy-mailer.ts";
import { putJob } from "../../support/job-builder.ts";
import { atNoon } from "../../support/noon.ts";
import { type NtfyProcess, startNtfyProcess } from "../../support/ntfy-process.ts";
import { freshTopic } from "../../support/ntfy-under-test.ts";
import { jobIds } from "../bench-jobs.ts";
import type { Line, Measurement } from "../line.ts";
import { CLI, floorProgram, type Machine, milliseconds, type Program, ticked } from "../machine.ts";

const MAILS = 200;
const RUNS = 7;
/** Far more than a healthy pass needs, on a busy machine too. */
const TIMEOUT_SECONDS = 5;

/** A tick that wakes and mails jobs, to a host that answers, and past one that never does. */
export const measurement: Measurement = {
  name: "mail",
  async measure(machine, { jobs, thoroughness }) {
    const mails = Math.min(MAILS, jobs);
    const runs = RUNS * thoroughness;
    const [healthy, hanging] = [await startNtfyProcess(), await startNtfyProcess()];
    try {
      // Each run, and the one that warms up, asks the host for every mail once at the most.
      await hanging.orderPublish({ kind: "hang" }, mails * (Math.ceil(runs) + 1));
      return [mailed(machine, mails, healthy, runs), pastHangingHost(machine, mails, [hanging, healthy], runs)];
    } finally {
      await Promise.all([healthy.stop(), hanging.stop()]);
    }
  },
};

/** Against a process that only posts as many messages, as many at once. */
function mailed(machine: Machine, mails: number, ntfy: NtfyProcess, runs: number): Line {
  const tick = mailingTick(machine, "mailed", mails, [ntfy]);
  const floor: Program = { args: [floorProgram("post.mjs"), ntfy.url, String(mails), String(MAILS_AT_ONCE)], cwd: tick.cwd };
  const [tickMs = 0, floorMs = 0] = machine.medianTimes([tick, floor], runs);
  return {
    title: `tick that mails ${mails} jobs / post as often`,
    measured: milliseconds(tickMs),
    floor: milliseconds(floorMs),
    ratio: tickMs / floorMs,
    limit: 2.5,
  };
}

/** What the same tick takes longer when the first of two hosts hangs, in time-outs of that host: once, and not once per mail. */
function pastHangingHost(machine: Machine, mails: number, [hanging, healthy]: [NtfyProcess, NtfyProcess], runs: number): Line {
  const slow = mailingTick(machine, "mailed-past-hanging", mails, [hanging, healthy]);
  const quick = mailingTick(machine, "mailed-at-once", mails, [healthy]);
  const [slowMs = 0, quickMs = 0] = machine.medianTimes([slow, quick], runs);
  return {
    title: "the same past a hanging host, longer by / its time-out",
    measured: milliseconds(slowMs - quickMs),
    floor: milliseconds(TIMEOUT_SECONDS * 1000),
    ratio: (slowMs - quickMs) / (TIMEOUT_SECONDS * 1000),
    limit: 1.5,
  };
}

/** A `--tick --deliver` over jobs of which each is due and must arrive. */
function mailingTick(machine: Machine, name: string, mails: number, hosts: readonly NtfyProcess[]): Program {
  const fleet = machine.repository(name);
  const directory = join(fleet, "wake_jobs");
  const topic = freshTopic();
  const config = { ntfy: { urls: hosts.map(({ url }) => `${url}/${topic}`), timeout_seconds: TIMEOUT_SECONDS } };
  writeFileSync(join(fleet, "harness-wake.json"), JSON.stringify(config));
  return {
    args: [CLI, "--tick", "--deliver", "--now", atNoon()],
    cwd: fleet,
    before: () => {
      rmSync(directory, { recursive: true, force: true });
      mkdirSync(directory);
      for (const jobId of jobIds(mails)) putJob(directory, jobId);
    },
    check: ticked(mails, "delivered_count"),
  };
}
