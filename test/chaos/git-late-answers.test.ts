import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { consumeDelivery, type Fleet } from "../../src/callback/index.ts";
import { JobError } from "../../src/errors/job-error.ts";
import { systemClock } from "../../src/facts/clock.ts";
import { randomIds } from "../../src/facts/ids.ts";
import { openGit } from "../../src/git/open-git.ts";
import { mailFor } from "../../src/mail/wake-mail.ts";
import { runTick } from "../../src/wake/run-tick.ts";
import { dueJob } from "../support/due-job.ts";
import { FakePages } from "../support/fake-pages.ts";
import { GIT_ENV, git } from "../support/git.ts";
import { expectStraightLine } from "../support/git-arena.ts";
import { gitStore, openGitFleet } from "../support/git-fleet.ts";
import { GitHttpServer, type HttpFault } from "../support/git-http-server.ts";
import { GitRemote, jobFiles } from "../support/git-remote.ts";
import { noHolds } from "../support/no-holds.ts";
import { NOON } from "../support/noon.ts";
import { SeededRandom } from "../support/seeded-random.ts";
import { GIT_COUNTS, GIT_CHAOS_TIMEOUT_MS as TIMEOUT } from "./git-counts.ts";

/** A push is waited for this long; four times in a call. Only pushes are late, so all else may take what a busy machine takes. */
const PATIENCE = { silenceMs: 20_000, pushSilenceMs: 400 };
/** Longer than all the patience of a call. */
const LATE_MS = 2_500;

const FAULTS: readonly (HttpFault | undefined)[] = ["drop_before", "drop_answer", "late", "doubled", undefined, undefined];

/** How often a claimant comes back that was told that nothing is known. */
const CALLS_MAX = 30;

test(
  "six clones whose answers are lost, late or doubled: exactly one is CLAIMED, and knows it; no attempt is lost",
  async () => {
    const random = new SeededRandom();
    const jobIds = Array.from({ length: GIT_COUNTS.lateRounds }, (_, i) => `harbor-late-${String(i).padStart(4, "0")}`);
    const remote = new GitRemote(jobFiles(jobIds.map((jobId) => dueJob(jobId))));
    await runTick(await openGitFleet(remote.clone(), () => NOON), { workerId: "watchdog" });
    await using server = await GitHttpServer.over(remote);
    server.otherwise = (errand) => (errand === "push" ? FAULTS[Math.floor(random.next() * FAULTS.length)] : undefined);
    server.whenLate = () => sleep(LATE_MS);
    const fleets = Array.from({ length: GIT_COUNTS.clones }, (_, i): Fleet => {
      const clone = remote.clone(...(i % 2 === 0 ? [] : ["--depth", "1"]));
      git(clone, "remote", "set-url", "origin", server.url);
      const store = gitStore(openGit({ directory: clone, env: GIT_ENV, timeouts: PATIENCE }));
      const clock = { now: () => NOON, monotonic: systemClock.monotonic };
      return { store, pages: new FakePages(), holds: noHolds, clock, ids: randomIds };
    });

    let unknown = 0;
    for (const jobId of jobIds) {
      const mail = mailFor(remote.job(jobId));
      const claim = async (fleet: Fleet, i: number): Promise<string> => {
        for (let calls = 0; calls < CALLS_MAX; calls++) {
          try {
            return (await consumeDelivery(fleet, mail, { workerId: `worker-${i}`, claimId: claimIdOf(jobId, i) })).state;
          } catch (error) {
            if (!(error instanceof JobError) || error.code !== "REMOTE_UNAVAILABLE") throw error;
            unknown++;
          }
        }
        return "never told";
      };
      const states = await Promise.all(fleets.map(claim));
      const seed = `${jobId}, HARNESS_WAKE_SEED=${random.seed}`;
      expect([seed, states.filter((state) => state === "CLAIMED")]).toEqual([seed, ["CLAIMED"]]);
      expect([seed, states.filter((state) => !["CLAIMED", "REPLAY", "STALE_ATTEMPT"].includes(state))]).toEqual([seed, []]);
      const claims = remote.job(jobId).event_receipts.filter(({ event }) => event === "delivery_claim");
      const winner = claimIdOf(jobId, states.indexOf("CLAIMED"));
      expect([seed, claims.map((receipt) => "claim_id" in receipt && receipt.claim_id)]).toEqual([seed, [winner]]);
    }
    process.stdout.write(`${jobIds.length} rounds, ${unknown} calls were told that nothing is known\n`);
    expectStraightLine(remote);
  },
  TIMEOUT,
);

function claimIdOf(jobId: string, i: number): string {
  return `claim-of-${jobId}-by-worker-${i}`;
}
