import { describe, expect, test } from "vitest";
import { consumeDelivery, type Fleet, finishDelivery } from "../../src/callback/index.ts";
import { exitCodeOf } from "../../src/cli/exit-code.ts";
import { JobError } from "../../src/errors/job-error.ts";
import { systemClock } from "../../src/facts/clock.ts";
import { randomIds } from "../../src/facts/ids.ts";
import { openGit } from "../../src/git/open-git.ts";
import { createJob } from "../../src/owner/create-job.ts";
import { GitHeadPages } from "../../src/pages/git-head-pages.ts";
import { runTick } from "../../src/wake/run-tick.ts";
import { cloneBytes } from "../support/clone-bytes.ts";
import { dueJob } from "../support/due-job.ts";
import { GIT_ENV } from "../support/git.ts";
import { gitStore, openGitFleet } from "../support/git-fleet.ts";
import { GIT_FAULTS, type GitFault, GitHands } from "../support/git-hands.ts";
import { GitRemote, jobFiles } from "../support/git-remote.ts";
import { livesAs } from "../support/lives-in.ts";
import { noHolds } from "../support/no-holds.ts";
import { NOON } from "../support/noon.ts";
import { GIT_COUNTS, GIT_CHAOS_TIMEOUT_MS as TIMEOUT } from "./git-counts.ts";

const [TRAIN, FERRY, NEW] = ["harbor-train-0001", "harbor-ferry-0001", "harbor-fresh-0001"];
const CLAIM_ID = "claim-of-this-very-call-0123456789";
const WORKER = { workerId: "worker" };

/** Long enough for any call that does not hang, on a busy machine too. */
const TIMEOUTS = { silenceMs: 2_000, pushSilenceMs: 2_000 };

function fleetOf(clone: string, env: Readonly<Record<string, string>> = {}): Fleet {
  const git = openGit({ directory: clone, env: { ...GIT_ENV, ...env }, timeouts: TIMEOUTS });
  const clock = { now: () => NOON, monotonic: systemClock.monotonic };
  return { store: gitStore(git), pages: new GitHeadPages({ git, pagesDirectory: "p" }), holds: noHolds, clock, ids: randomIds };
}

/** A call, what it answers when all is well, and what it leaves at the remote, whatever happened on the way. */
interface Call {
  arrange(remote: GitRemote, clone: string): Promise<void>;
  run(fleet: Fleet): Promise<string>;
  readonly right: string;
  /** What the same call answers when it was done before. */
  readonly again: string;
  left(remote: GitRemote): unknown;
  readonly leaves: unknown;
  /** What it may answer where git failed and nothing was thrown: an ERROR row. */
  readonly inPart?: readonly string[];
}

const PAGE = { result_address: FERRY, completion_predicate: { type: "result_address_on_head" } } as const;

async function woken(_remote: GitRemote, clone: string): Promise<void> {
  await runTick(await openGitFleet(clone, () => NOON), WORKER);
}

/** The mail of the first attempt, as it was sent: a claim that is made again is made for the same one. */
const MAIL = {
  from: "HARNESS_WAKE",
  to: "HARBOR",
  id: TRAIN,
  job_id: TRAIN,
  attempt_id: `${TRAIN}-a01`,
  harness: "script",
  body: "wake",
};

const claim = (fleet: Fleet) => consumeDelivery(fleet, MAIL, { ...WORKER, claimId: CLAIM_ID });

const eventsOf = (remote: GitRemote, jobId: string): readonly string[] =>
  remote.job(jobId).event_receipts.map(({ event }) => event);

const calls: Readonly<Record<string, Call>> = {
  "a create": {
    arrange: async () => undefined,
    run: async (fleet) => {
      const fields = { job_id: NEW, owner_claim: "HARBOR", harness: "script", objective: "Go", deadline: "2027-01-01" };
      return (await createJob(fleet, fields)).state;
    },
    right: "CREATED",
    again: "EXISTS",
    left: (remote) => remote.job(NEW).objective,
    leaves: "Go",
  },
  "a tick that wakes a job and completes another by its page": {
    arrange: async () => undefined,
    run: async (fleet) => (await runTick(fleet, WORKER)).jobs.map(({ action, reason }) => `${action} ${reason}`).join(", "),
    right: "STOP DONE, WAKE RUNNABLE",
    again: "STOP DONE, STOP LEASE_HELD",
    inPart: ["ERROR TRUTH_UNAVAILABLE, WAKE RUNNABLE"],
    left: (remote) => [remote.job(FERRY).status, remote.job(TRAIN).attempt_count, eventsOf(remote, TRAIN)],
    leaves: ["DONE", 1, ["wake"]],
  },
  "a claim": {
    arrange: woken,
    run: async (fleet) => (await claim(fleet)).state,
    right: "CLAIMED",
    again: "CLAIMED",
    left: (remote) => eventsOf(remote, TRAIN),
    leaves: ["wake", "delivery_claim"],
  },
  "a finish by a page": {
    arrange: async (remote, clone) => {
      await woken(remote, clone);
      await claim(fleetOf(clone));
      remote.commit({ [`p/${TRAIN}.md`]: "the result\n" });
    },
    run: async (fleet) =>
      (
        await finishDelivery(
          fleet,
          { job_id: TRAIN, attempt_id: `${TRAIN}-a01`, claim_id: CLAIM_ID },
          { ...WORKER, result: { kind: "report" } },
        )
      ).state,
    right: "DONE",
    again: "DONE",
    left: (remote) => eventsOf(remote, TRAIN),
    leaves: ["wake", "delivery_claim", "checkpoint", "ack", "complete"],
  },
};

/** What a call comes to: its answer, or the error that ended it, which must be the environment's. */
async function outcomeOf(act: () => Promise<string>): Promise<string> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof JobError)) throw error;
    return `exit ${exitCodeOf(error.code)}`;
  }
}

describe.each(Object.entries(calls))("%s", (_name, call) => {
  test(
    "whatever one call of git comes to: the right answer, or an error; the clone as it was; and the next call right",
    async () => {
      const remote = new GitRemote({
        ...jobFiles([dueJob(TRAIN, { result_address: TRAIN }), dueJob(FERRY, PAGE)]),
        [`p/${FERRY}.md`]: "the result\n",
      });
      const clone = remote.clone("--depth", "1");
      await call.arrange(remote, clone);
      const base = remote.head() ?? "";

      const counting = new GitHands();
      expect(await call.run(fleetOf(clone, { PATH: counting.path }))).toBe(call.right);
      const commands = counting.calls;
      expect(commands.length).toBeGreaterThan(5);

      const faults = Object.keys(GIT_FAULTS) as GitFault[];
      const tries = commands.flatMap((_, i) => faults.map((fault) => ({ at: i + 1, fault })));
      for (const { at, fault } of tries.filter((_, i) => i % GIT_COUNTS.faultEvery === 0)) {
        const what = `git call ${at} of ${commands.length} ${fault}: ${commands[at - 1]}`;
        remote.git("update-ref", "refs/heads/main", base);
        const before = cloneBytes(clone);
        const hands = new GitHands();
        const first = await outcomeOf(() => call.run(fleetOf(clone, hands.env(at, fault))));
        expect([what, [call.right, ...(call.inPart ?? []), "exit 4"]]).toEqual([what, expect.arrayContaining([first])]);
        expect([what, cloneBytes(clone)]).toEqual([what, before]);
        const isDone = remote.head() !== base && !call.inPart?.includes(first);
        expect([what, isDone || first !== call.right]).toEqual([what, true]);
        const next = await outcomeOf(() => call.run(fleetOf(clone)));
        if (!call.inPart?.includes(first)) expect([what, next]).toEqual([what, isDone ? call.again : call.right]);
        expect([what, call.left(remote)]).toEqual([what, call.leaves]);
        // Asking for the version starts nothing that could hang.
        if (!what.endsWith("--version")) await expect.poll(() => hands.hanging.filter(livesAs)).toEqual([]);
      }
    },
    TIMEOUT * 4,
  );
});
