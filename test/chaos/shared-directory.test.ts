import { chmodSync } from "node:fs";
import { setTimeout as passes } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { systemClock } from "../../src/facts/clock.ts";
import { mailFor } from "../../src/mail/wake-mail.ts";
import { FileJobStore } from "../../src/store/file-job-store.ts";
import { Crowd } from "../support/crowd.ts";
import { dueJob } from "../support/due-job.ts";
import { ForkedProgram } from "../support/forked-program.ts";
import { JobsDirectory } from "../support/jobs-directory.ts";
import { NOON } from "../support/noon.ts";
import { raise } from "../support/raise.ts";
import { isPossible, OTHERS, type Reach, SAME } from "../support/reach.ts";
import type { Deed, RivalAnswer } from "../support/rival-harness.ts";
import { SeededRandom } from "../support/seeded-random.ts";
import { tickDirectory } from "../support/tick-directory.ts";
import { CHAOS_TIMEOUT_MS, COUNTS } from "./counts.ts";

const JOB = "shared-0001";

describe.each(OTHERS)("a directory that another reaches by $name", { timeout: CHAOS_TIMEOUT_MS }, (other) => {
  it("gives each mail to one: one CLAIMED, one REPLAY", async (context) => {
    if (!isPossible(other)) context.skip(`this machine lets no test reach a directory by ${other.name}`);
    using directory = sharedDirectory();
    await using crowd = new Crowd<Deed, RivalAnswer>([SAME, other].map((reach) => reachingProgram(reach, directory)));
    for (let round = 1; round <= COUNTS.neighbourRounds; round++) {
      directory.write(dueJob(JOB));
      await tickDirectory(directory.path, NOON);
      const mail = mailFor(directory.job(JOB)) ?? expect.fail("no mail");
      const claim = { kind: "claim", mail, at: NOON + 1 } as const;
      const states = (await crowd.race([claim, claim])).map((answer) => ("state" in answer ? answer.state : answer));
      expect([...states].sort(), `round ${round}`).toEqual(["CLAIMED", "REPLAY"]);
    }
    expect(directory.tempFiles()).toEqual([]);
  });

  it("frees it within seconds when that one dies while it holds the lock", async (context) => {
    if (!isPossible(other)) context.skip(`this machine lets no test reach a directory by ${other.name}`);
    using directory = sharedDirectory();
    directory.write(dueJob(JOB));
    await using holder = new ForkedProgram<string>(
      { program: "./lock-holder.ts", launcher: other.launcher },
      other.pathOf(directory.path),
    );
    expect(await holder.hear()).toBe("held");
    await holder.kill();
    const summary = await tickDirectory(directory.path, NOON);
    expect(summary.wake_count).toBe(1);
  });
});

describe("writers that are stopped or killed at any moment", { timeout: CHAOS_TIMEOUT_MS }, () => {
  it("lose no other's write and undo none, though they are stopped while others take their lock over and write", async () => {
    using directory = new JobsDirectory([dueJob(JOB, { checkpoint: { step: 0 } })]);
    await using crew = new AsyncDisposableStack();
    const raisers = [1, 2].map(() => crew.use(new Raiser(directory)));
    // A waiter by whose clock a silent holder is soon dead.
    let ms = 0;
    const impatient = { now: systemClock.now, monotonic: () => (ms += 100) };
    const store = new FileJobStore({ directory: directory.path, clock: impatient });
    let raised = 0;
    let takeovers = 0;
    for (let round = 1; round <= COUNTS.stopRounds; round++) {
      const [stopped] = raisers.splice(0, 1) as [Raiser];
      raisers.push(stopped);
      await stopped.makesProgress();
      await stopped.stop();
      takeovers += directory.isLocked() ? 1 : 0;
      if (await raise(store, JOB)) raised += 1;
      stopped.goOn();
    }
    for (const raiser of raisers) raised += await raiser.end();
    expect(directory.job(JOB).checkpoint).toEqual({ step: raised });
    expect(directory.tempFiles()).toEqual([]);
    expect(takeovers, "rounds in which the lock was held by one that stood still, or by the other").toBeGreaterThan(0);
  });

  it("leave each write wholly done or not at all when they are killed, and free the lock for the others", async () => {
    using directory = new JobsDirectory([dueJob(JOB, { checkpoint: { step: 0 } })]);
    await using crew = new AsyncDisposableStack();
    const start = (): Raiser => crew.use(new Raiser(directory));
    const raisers = [start(), start()];
    let [told, killed] = [0, 0];
    for (let round = 1; round <= COUNTS.writerKills; round++) {
      const [mortal] = raisers.splice(0, 1) as [Raiser];
      await mortal.makesProgress();
      told += await mortal.kill();
      killed += 1;
      raisers.push(start());
    }
    for (const raiser of raisers) told += await raiser.end();
    const step = Number(directory.job(JOB).checkpoint["step"]);
    // A write whose answer died with its writer counts as well.
    expect(step).toBeGreaterThanOrEqual(told);
    expect(step).toBeLessThanOrEqual(told + killed);
  });
});

function sharedDirectory(): JobsDirectory {
  const directory = new JobsDirectory([]);
  chmodSync(directory.path, 0o777);
  return directory;
}

function reachingProgram({ launcher, pathOf }: Reach, directory: JobsDirectory): ForkedProgram<RivalAnswer | "armed"> {
  return new ForkedProgram({ program: "./rival-harness.ts", launcher }, pathOf(directory.path), "/dev/null");
}

/** A process that raises the job's step again and again. */
class Raiser implements AsyncDisposable {
  readonly #program: ForkedProgram<"raised" | "refused">;
  readonly #random = new SeededRandom();
  #raised = 0;

  constructor(directory: JobsDirectory) {
    this.#program = new ForkedProgram("./raiser.ts", directory.path, JOB);
  }

  /** Waits for its next write, and then for some part of the one after. */
  async makesProgress(): Promise<void> {
    await this.#hear();
    await passes(3 * this.#random.next());
  }

  stop(): Promise<void> {
    return this.#program.stop();
  }

  goOn(): void {
    this.#program.signal("SIGCONT");
  }

  /** How often it said that it raised. */
  async end(): Promise<number> {
    this.#program.tell("end");
    while (await this.#hear());
    return this.#raised;
  }

  async kill(): Promise<number> {
    await this.#program.kill();
    while (await this.#hear());
    return this.#raised;
  }

  async #hear(): Promise<boolean> {
    const word = await this.#program.hear();
    if (word === "raised") this.#raised += 1;
    return word !== undefined;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#program[Symbol.asyncDispose]();
  }
}
