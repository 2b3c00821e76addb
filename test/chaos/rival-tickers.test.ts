import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { attemptId } from "../../src/job/offer.ts";
import { Crowd } from "../support/crowd.ts";
import { dueJob } from "../support/due-job.ts";
import { JobsDirectory } from "../support/jobs-directory.ts";
import { LineLog } from "../support/line-log.ts";
import { NOON } from "../support/noon.ts";
import type { RivalAnswer } from "../support/rival-ticker.ts";
import { tempDirectory } from "../support/temp-directory.ts";
import { CHAOS_TIMEOUT_MS, COUNTS } from "./counts.ts";

const CONTESTED = "contested-0001";

/** Past the lease of the round before. */
const ROUND_SECONDS = 1_000;

describe("rival tickers in processes of their own", { timeout: CHAOS_TIMEOUT_MS }, () => {
  it("wake a due job once a round, with attempts that neither skip nor repeat", async () => {
    await race(COUNTS.raceRounds, () => undefined);
  });

  it("wake it once also when all of them take over a dead holder's lock at the same time", async () => {
    await race(COUNTS.takeoverRounds, (directory) => directory.leaveDeadLock());
  });
});

async function race(rounds: number, beforeRound: (directory: JobsDirectory) => void): Promise<void> {
  using directory = new JobsDirectory([
    dueJob(CONTESTED),
    dueJob("asleep-0001", { next_wake_at: "2098-01-01T00:00:00Z" }),
    dueJob("blocked-0001", { status: "BLOCKED" }),
  ]);
  const log = new LineLog<string>(join(tempDirectory(), "invoked"));
  await using crowd = Crowd.alike<{ readonly now: number }, RivalAnswer>(
    COUNTS.rivals,
    "./rival-ticker.ts",
    directory.path,
    log.path,
  );

  for (let round = 1; round <= rounds; round++) {
    const now = NOON + round * ROUND_SECONDS;
    // The harness took the job a step further and gave it back: it is due again.
    const job = directory.job(CONTESTED);
    directory.write({ ...job, status: "OPEN", lease: null, checkpoint: { step: round } });
    beforeRound(directory);

    const answers = await crowd.race(Array.from({ length: COUNTS.rivals }, () => ({ now })));

    const verdicts = answers.map(verdictOf).sort();
    expect(verdicts, `round ${round}`).toEqual([...Array(COUNTS.rivals - 1).fill("LEASE_HELD"), "RUNNABLE"]);
    expect(log.entries(), `round ${round}`).toHaveLength(round);
  }

  const numbered = Array.from({ length: rounds }, (_, i) => attemptId(CONTESTED, i + 1));
  expect(log.entries()).toEqual(numbered);
  const { attempt_count, event_receipts } = directory.job(CONTESTED);
  expect(attempt_count).toBe(rounds);
  expect(event_receipts.map((receipt) => receipt.attempt_id)).toEqual(numbered);
  expect(new Set(event_receipts.map((receipt) => receipt["lease_id"])).size).toBe(rounds);
  expect(directory.tempFiles()).toEqual([]);
}

function verdictOf(answer: RivalAnswer): string | undefined {
  if ("thrown" in answer) throw new Error(answer.thrown);
  return answer.reasons[CONTESTED];
}
