import { describe, expect, test } from "vitest";
import { consumeDelivery } from "../../src/callback/index.ts";
import type { JsonObject } from "../../src/json/json.ts";
import { mailFor } from "../../src/mail/wake-mail.ts";
import { runTick } from "../../src/wake/run-tick.ts";
import { dueJob } from "../support/due-job.ts";
import { FakeMailer } from "../support/fake-mailer.ts";
import { expectStraightLine, GitArena, statesOf } from "../support/git-arena.ts";
import { openGitFleet } from "../support/git-fleet.ts";
import { GitHttpServer } from "../support/git-http-server.ts";
import { GitRemote, jobFiles } from "../support/git-remote.ts";
import type { Deed, GitRivalMessage } from "../support/git-rival.ts";
import { NOON } from "../support/noon.ts";
import { GIT_COUNTS, GIT_CHAOS_TIMEOUT_MS as TIMEOUT } from "./git-counts.ts";

function ids(count: number, what = "race"): readonly string[] {
  return Array.from({ length: count }, (_, i) => `harbor-${what}-${String(i).padStart(4, "0")}`);
}

/** A remote whose jobs were all woken and mailed at noon. */
async function remoteOfWoken(
  jobIds: readonly string[],
  fieldsOf: (jobId: string) => JsonObject = () => ({}),
): Promise<GitRemote> {
  const jobs = jobIds.map((jobId) => dueJob(jobId, { result_address: jobId, ...fieldsOf(jobId) }));
  const pages = Object.fromEntries(jobIds.map((jobId) => [`p/${jobId}.md`, "the result\n"]));
  const remote = new GitRemote({ ...pages, ...jobFiles(jobs) });
  const fleet = await openGitFleet(remote.clone(), () => NOON);
  const summary = await runTick({ ...fleet, mailer: new FakeMailer() }, { workerId: "watchdog" });
  expect(summary).toMatchObject({ ok: true, wake_count: jobIds.length, delivered_count: jobIds.length });
  return remote;
}

function mailOf(remote: GitRemote, jobId: string): object {
  return mailFor(remote.job(jobId)) ?? expect.fail(`${jobId} offers nothing`);
}

/** Claims a woken job for `worker-0` in this process. */
async function claimed(remote: GitRemote, jobIds: readonly string[]) {
  const fleet = await openGitFleet(remote.clone("--depth", "1"), () => NOON);
  const claims = new Map<string, { job_id: string; attempt_id: string; claim_id: string }>();
  for (const jobId of jobIds) {
    const answer = await consumeDelivery(fleet, mailOf(remote, jobId), { workerId: "worker-0" });
    if (!answer.invoke_model) return expect.fail(answer.state);
    const { job_id, attempt_id, claim_id } = answer;
    claims.set(jobId, { job_id, attempt_id, claim_id });
  }
  return claims;
}

function receiptsOf(remote: GitRemote, jobId: string, event: string) {
  return remote.job(jobId).event_receipts.filter((receipt) => receipt.event === event);
}

/** The state of the one answer of a message; what was thrown where it threw. */
function stateOf(message: GitRivalMessage | undefined): string {
  return message === undefined ? "nothing" : (statesOf([message])[0] ?? "nothing");
}

describe("clones that race for one remote", () => {
  test.each(["file", "http"] as const)(
    "over %s: of six that claim one attempt exactly one is CLAIMED, the others are told REPLAY or STALE_ATTEMPT",
    async (protocol) => {
      const jobIds = ids(protocol === "file" ? GIT_COUNTS.claimRounds : Math.ceil(GIT_COUNTS.claimRounds / 3));
      const remote = await remoteOfWoken(jobIds);
      await using server = await GitHttpServer.over(remote);
      await using arena = new GitArena(remote, GIT_COUNTS.clones, protocol === "http" ? server.url : remote.url);
      for (const [round, jobId] of jobIds.entries()) {
        const mail = mailOf(remote, jobId);
        // In every second round all of them bear one name: then nothing but the nonce tells their commits apart.
        const deeds = Array.from({ length: GIT_COUNTS.clones }, (_, i): Deed => {
          return { deed: "claim", now: NOON, mail, workerId: round % 2 === 0 ? "one-and-the-same" : `worker-${i}` };
        });
        const states = statesOf(await arena.release(deeds));
        expect(states.filter((state) => state === "CLAIMED")).toEqual(["CLAIMED"]);
        expect(states.filter((state) => !["CLAIMED", "REPLAY", "STALE_ATTEMPT"].includes(state))).toEqual([]);
        expect(receiptsOf(remote, jobId, "delivery_claim")).toHaveLength(1);
      }
      expect([...arena.claims].sort()).toEqual(jobIds.map((jobId) => `${jobId}-a01`));
      expectStraightLine(remote);
    },
    TIMEOUT,
  );

  test(
    "four that tick and land at once wake each of fifty due jobs once and mail it once",
    async () => {
      for (let round = 0; round < GIT_COUNTS.tickRounds; round++) {
        const jobIds = ids(GIT_COUNTS.dueJobs, "due");
        const remote = new GitRemote(jobFiles(jobIds.map((jobId) => dueJob(jobId))));
        await using arena = new GitArena(remote, GIT_COUNTS.tickers);
        const deeds = Array.from(
          { length: GIT_COUNTS.tickers },
          (): Deed => ({ deed: "tick", now: NOON, workerId: "gh-watchdog" }),
        );
        const messages = await arena.release(deeds);
        expect(statesOf(messages)).toEqual(deeds.map(() => "ticked"));
        const rows = messages.flatMap((message) => (typeof message === "object" && "rows" in message ? message.rows : []));
        expect(
          rows
            .filter(({ action }) => action === "WAKE")
            .map(({ job_id }) => job_id)
            .sort(),
        ).toEqual(jobIds);
        expect(rows.filter(({ action }) => action === "ERROR")).toEqual([]);
        expect([...arena.mails].sort()).toEqual(jobIds.map((jobId) => `${jobId}-a01`));
        for (const jobId of jobIds) {
          expect(remote.job(jobId)).toMatchObject({ attempt_count: 1, status: "LEASED" });
          expect(receiptsOf(remote, jobId, "wake")).toHaveLength(1);
          expect(receiptsOf(remote, jobId, "deliver")).toHaveLength(1);
        }
        // The first commit, one for the wakes, one for the receipts: no clone pushed a job twice.
        expect(remote.history()).toHaveLength(3);
        expectStraightLine(remote);
      }
    },
    TIMEOUT,
  );

  test(
    "a tick that finds the lease over and a claim that finds it live never both have their way",
    async () => {
      const jobIds = ids(GIT_COUNTS.duelRounds);
      // Their leases end one after another, so that each round has a boundary of its own.
      const leases = new Map(jobIds.map((jobId, i) => [jobId, 900 + 100 * i]));
      const remote = await remoteOfWoken(jobIds, (jobId) => ({ lease_seconds: leases.get(jobId) ?? 900 }));
      await using arena = new GitArena(remote, 2);
      const won: string[] = [];
      for (const jobId of jobIds) {
        const mail = mailOf(remote, jobId);
        const over = NOON + (leases.get(jobId) ?? 900);
        const [tick, claim] = await arena.release([
          { deed: "tick", now: over, workerId: "watchdog" },
          { deed: "claim", now: over - 1, workerId: "worker", mail },
        ]);
        const reason =
          typeof tick === "object" && "rows" in tick ? tick.rows.find(({ job_id }) => job_id === jobId)?.reason : tick;
        const job = remote.job(jobId);
        if (stateOf(claim) === "CLAIMED") {
          expect(reason).toBe("LEASE_HELD");
          expect(job).toMatchObject({ status: "LEASED", lease: { holder: "worker" } });
          won.push(`${jobId}-a01`);
        } else {
          expect([stateOf(claim), reason]).toEqual(["STALE_ATTEMPT", "UNCLAIMED"]);
          expect(job).toMatchObject({ status: "OPEN", lease: null, unclaimed_count: 1 });
        }
      }
      expect(arena.claims).toEqual(won);
      expectStraightLine(remote);
    },
    TIMEOUT,
  );

  test(
    "a finish and a cancel at once end in one of DONE and CANCELLED, and both are told which",
    async () => {
      const jobIds = ids(GIT_COUNTS.duelRounds);
      const remote = await remoteOfWoken(jobIds);
      const claims = await claimed(remote, jobIds);
      await using arena = new GitArena(remote, 2);
      for (const [round, jobId] of jobIds.entries()) {
        const claim = claims.get(jobId) ?? expect.fail(jobId);
        // A finish that gives a result asks for its page first, and is later at the remote than one that does not.
        const isTerminal = round % 2 === 0;
        const [finish, cancel] = (
          await arena.release([
            { deed: "finish", now: NOON + 1, workerId: "worker-0", claim, ...(isTerminal && { result: { kind: "report" } }) },
            { deed: "cancel", now: NOON + 1, jobId },
          ])
        ).map(stateOf);
        const job = remote.job(jobId);
        const acks = receiptsOf(remote, jobId, "ack").length;
        if (finish === "CANCELLED") expect([cancel, job.status, acks]).toEqual(["CANCELLED", "CANCELLED", 0]);
        else if (isTerminal) expect([finish, cancel, job.status, acks]).toEqual(["DONE", "DONE", "DONE", 1]);
        else expect([finish, cancel, job.status, acks]).toEqual(["CHECKPOINT", "CANCELLED", "CANCELLED", 1]);
      }
      expectStraightLine(remote);
    },
    TIMEOUT,
  );

  test(
    "two finishes of one claim at once are one: the same outcome is a replay, another one is ALREADY_FINISHED",
    async () => {
      const jobIds = ids(GIT_COUNTS.duelRounds);
      const remote = await remoteOfWoken(jobIds);
      const claims = await claimed(remote, jobIds);
      await using arena = new GitArena(remote, 2);
      for (const [round, jobId] of jobIds.entries()) {
        const isSame = round % 2 === 0;
        const claim = claims.get(jobId) ?? expect.fail(jobId);
        const messages = await arena.release(
          [0, 1].map((i): Deed => {
            const checkpoint = { step: 1, by: isSame ? "either" : `rival-${i}` };
            return { deed: "finish", now: NOON + 1, workerId: "worker-0", claim, checkpoint };
          }),
        );
        const answers = messages.map((message) =>
          typeof message === "object" && "answer" in message ? message.answer : undefined,
        );
        expect(statesOf(messages)).toEqual(isSame ? ["CHECKPOINT", "CHECKPOINT"] : ["ALREADY_FINISHED", "CHECKPOINT"]);
        expect(answers.filter((answer) => answer?.ok && !answer.replay)).toHaveLength(1);
        expect(receiptsOf(remote, jobId, "ack")).toHaveLength(1);
        expect(receiptsOf(remote, jobId, "checkpoint")).toHaveLength(1);
        const winner = answers.findIndex((answer) => answer?.ok && !answer.replay);
        expect(remote.job(jobId).checkpoint).toEqual({ step: 1, by: isSame ? "either" : `rival-${winner}` });
      }
      expectStraightLine(remote);
    },
    TIMEOUT,
  );
});
