import { randomUUID } from "node:crypto";
import { statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { openFleet } from "../../../src/compose.ts";
import { type OpenWorkerOptions, openWorker } from "../../../src/compose-worker.ts";
import { LOG_BYTES_MAX } from "../../../src/harness/enclosure/run-log.ts";
import type { WorkerEvent } from "../../../src/harness/worker/worker-event.ts";
import { runTick } from "../../../src/wake/run-tick.ts";
import { processesWith } from "../../support/enclosed-run.ts";
import { fleetWithRemote } from "../../support/fleet-with-remote.ts";
import { GIT_ENV } from "../../support/git.ts";
import { putJob } from "../../support/job-builder.ts";
import { SmallDisk } from "../../support/small-disk.ts";
import { tempDirectory } from "../../support/temp-directory.ts";

const BAD = "bad-0001";
const GOOD = "good-0001";

/** A checkout with a job whose run goes wrong and one whose run is quick, both offered to a worker that runs them in turn. */
async function open(bad: string, more: Partial<OpenWorkerOptions> = {}) {
  const { directory } = fleetWithRemote({});
  for (const job of [BAD, GOOD]) putJob(join(directory, "wake_jobs"), job, { lease_seconds: 20, max_attempts: 100 });
  const fleet = await openFleet({ dir: directory, env: GIT_ENV });
  await runTick(fleet, { workerId: "watchdog" });
  const told: WorkerEvent[] = [];
  const stateDirectory = more.stateDirectory ?? join(tempDirectory(), "state");
  const options: OpenWorkerOptions = {
    harness: "script",
    workerId: "worker-one",
    runs: { kind: "command", command: `[ $HARNESS_WAKE_JOB_ID = ${GOOD} ] || { ${bad}\n}` },
    workspace: "here",
    enclosure: "auto",
    timeLimitMs: 3_600_000,
    passedVariables: [],
    stateDirectory,
    env: { ...GIT_ENV, HOME: tempDirectory() },
    tell: (event) => void told.push(event),
    stopping: new AbortController().signal,
    stoppingAtOnce: new AbortController().signal,
    once: true,
    concurrency: 1,
    lookEveryMs: 1_000,
    graceMs: 1_000,
    ...more,
  };
  return { work: async () => (await openWorker(fleet, options)).run(), told };
}

const mark = randomUUID();
const OUTCOME = '"$HARNESS_WAKE_OUTCOME_FILE"';

/** What a run does, and what comes of it: the state that the store answers, and the words for people. */
const runs: Readonly<Record<string, readonly [script: string, state: string, message?: RegExp]>> = {
  "ends with a code": ["echo 'no such page' >&2; exit 7", "FAILED", /exited with 7: no such page/],
  "kills itself": ["kill -9 $$", "FAILED", /ended by SIGKILL|exited with 137/],
  "leaves nothing and says that all is well": ["true", "CHECKPOINT"],
  "leaves children in every way": [
    `sleep 1000 ${mark} & nohup setsid sh -c 'sleep 1000' ${mark} >/dev/null 2>&1 & (setsid sh -c 'sleep 1000; :' ${mark} &)`,
    "CHECKPOINT",
  ],
  "writes 100 MB": ["head -c 104857600 /dev/zero | tr '\\0' x", "CHECKPOINT"],
  "leaves a broken outcome": [`echo '{"checkpoint": {' > ${OUTCOME}`, "FAILED", /the outcome file is not JSON/],
  "leaves an outcome with a field that nobody knows": [`echo '{"status": "DONE"}' > ${OUTCOME}`, "FAILED", /status/],
  "leaves a huge outcome": [`head -c 3000000 /dev/zero > ${OUTCOME}`, "FAILED", /the outcome file .*2097152/],
  "leaves a link for an outcome": [`ln -s /etc/passwd ${OUTCOME}`, "FAILED", /the outcome file/],
  "leaves a pipe for an outcome": [`mkfifo ${OUTCOME}`, "FAILED", /the outcome file/],
  "removes its own files": ['rm -rf "$(dirname $HARNESS_WAKE_OUTCOME_FILE)"/*', "CHECKPOINT"],
  "claims a result without its page": [`echo '{"result": "done"}' > ${OUTCOME}`, "FAILED", /NOT_DURABLE/],
};

describe("a run that does its worst is told by what it did, and the worker goes on with the next job", () => {
  test.each(Object.entries(runs))("one that %s", async (_what, [script, state, message = /^/]) => {
    const { work, told } = await open(script);
    await work();
    const ends = told.filter((event) => event.event === "ended");
    expect(ends).toMatchObject([
      { job_id: BAD, state },
      { job_id: GOOD, state: "CHECKPOINT", ok: true },
    ]);
    expect(ends[0]?.message ?? "").toMatch(message);
    expect(statSync(ends[0]?.log_file ?? "").size).toBeLessThanOrEqual(LOG_BYTES_MAX);
    // What was killed needs a moment to be gone; what was not stays.
    await vi.waitFor(() => expect(processesWith(mark)).toEqual([]), { timeout: 120_000 });
  });

  test("one that will not end, at the time limit", async () => {
    const { work, told } = await open("trap '' TERM; while :; do sleep 0.1; done", { timeLimitMs: 2_000 });
    await work();
    expect(told).toContainEqual(
      expect.objectContaining({ event: "ended", job_id: BAD, state: "FAILED", message: "stopped: its time limit was reached" }),
    );
    expect(told).toContainEqual(expect.objectContaining({ event: "claimed", job_id: GOOD }));
  });
});

describe("a worker whose disk is full", () => {
  test("claims nothing and says which file it could not write; with room again it goes on", async ({ skip }) => {
    skip(!SmallDisk.isPossible);
    using disk = new SmallDisk(64);
    const { work, told } = await open("true", { stateDirectory: disk.path });
    disk.fillUpTo(0);
    expect(await work()).toMatchObject({ claimed: 0 });
    for (const job of [BAD, GOOD])
      expect(told).toContainEqual({
        event: "note",
        attempt_id: `${job}-a01`,
        message: expect.stringMatching(`${job}-a01.json: the disk is full`),
      });
    disk.empty();
    expect(await work()).toMatchObject({ claimed: 2, finished: 2 });
  });

  test("because a run filled it, tells the store all the same, and goes on with the next job", async ({ skip }) => {
    skip(!SmallDisk.isPossible);
    using disk = new SmallDisk(64);
    const fills = `cat /dev/zero > "$(dirname $HARNESS_WAKE_OUTCOME_FILE)/junk"; echo more; true`;
    const { work, told } = await open(fills, { stateDirectory: disk.path });
    expect(await work()).toMatchObject({ claimed: 2, finished: 2, kept: 0 });
    expect(told).toContainEqual(expect.objectContaining({ event: "note", message: expect.stringContaining("the disk is full") }));
  });
});
