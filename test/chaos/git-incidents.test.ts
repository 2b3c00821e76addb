import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { consumeDelivery } from "../../src/callback/index.ts";
import type { Seconds } from "../../src/job/time.ts";
import type { Letter, Mailer } from "../../src/mail/mailer.ts";
import { mailFor } from "../../src/mail/wake-mail.ts";
import { cancelJob } from "../../src/owner/change-job.ts";
import { runTick, type TickPorts } from "../../src/wake/run-tick.ts";
import { BusyNeighbour } from "../support/busy-neighbour.ts";
import { cloneBytes } from "../support/clone-bytes.ts";
import { dueJob } from "../support/due-job.ts";
import { expectStraightLine } from "../support/git-arena.ts";
import { gitWith, JOBS, openGitFleet, storeOver } from "../support/git-fleet.ts";
import { GitRemote, jobFiles } from "../support/git-remote.ts";
import { jobErrorFrom } from "../support/job-error-of.ts";
import { LineLog } from "../support/line-log.ts";
import { loggingMailer } from "../support/logging-mailer.ts";
import { NOON } from "../support/noon.ts";
import { tempDirectory } from "../support/temp-directory.ts";
import { GIT_CHAOS_TIMEOUT_MS as TIMEOUT } from "./git-counts.ts";

const EIGHTY_MINUTES = 80 * 60;

function ids(count: number): readonly string[] {
  return Array.from({ length: count }, (_, i) => `harbor-incident-${String(i).padStart(4, "0")}`);
}

/** A pass from a clone whose git the test cuts into. */
async function portsOver(clone: string, now: Seconds, before: (command: string) => void): Promise<Omit<TickPorts, "mailer">> {
  return { ...(await openGitFleet(clone, () => now)), store: storeOver(gitWith(clone, before), () => now) };
}

test(
  "a checkout that is 80 minutes old, with eight jobs changed since, is ticked on the remote's head and lands",
  async () => {
    const jobIds = ids(12);
    const jobs = jobIds.map((jobId) => dueJob(jobId));
    const remote = new GitRemote(jobFiles(jobs));
    const clone = remote.clone("--depth", "1");
    // Since then owners cancelled, moved and edited eight of them; here somebody left edits of his own.
    const since = jobs.map((job, i) => {
      if (i < 3) return { ...job, status: "CANCELLED" as const };
      if (i < 6) return { ...job, next_wake_at: "2026-12-24T00:00:00Z" };
      if (i < 8) return { ...job, checkpoint: { step: 7 } };
      return job;
    });
    remote.commit(jobFiles(since.slice(0, 8)));
    writeFileSync(join(clone, JOBS, `${jobIds[9]}.json`), "{ half an edit");
    const before = cloneBytes(clone);
    const mails = new LineLog<string>(join(tempDirectory(), "mails"));
    const ports = { ...(await openGitFleet(clone, () => NOON + EIGHTY_MINUTES)), mailer: loggingMailer(mails) };
    const summary = await runTick(ports, { workerId: "gh-watchdog" });
    expect(summary.jobs.map(({ reason }) => reason)).toEqual([
      ...Array(3).fill("CANCELLED"),
      ...Array(3).fill("NOT_DUE"),
      ...Array(6).fill("RUNNABLE"),
    ]);
    expect(summary).toMatchObject({ ok: true, delivered_count: 6 });
    expect(remote.job(jobIds[6] ?? "")).toMatchObject({ status: "LEASED", checkpoint: { step: 7 } });
    expect(mails.entries()).toEqual(jobIds.slice(6).map((jobId) => `${jobId}-a01`));
    expect(remote.moves()).toBe(4);
    expectStraightLine(remote);
    expect(cloneBytes(clone)).toEqual(before);
  },
  TIMEOUT,
);

test(
  "a push that loses its race again and again to unrelated files lands all the same, and mails once",
  async () => {
    const losses = 9;
    const remote = new GitRemote(jobFiles([dueJob("harbor-incident-0000")]));
    let pushes = 0;
    const ports = await portsOver(remote.clone("--depth", "1"), NOON, (command) => {
      if (command === "push" && pushes++ < losses) remote.commit({ [`notes/${pushes}.md`]: "unrelated\n" });
    });
    const mails = new LineLog<string>(join(tempDirectory(), "mails"));
    const summary = await runTick({ ...ports, mailer: loggingMailer(mails) }, { workerId: "gh-watchdog" });
    expect(summary).toMatchObject({ ok: true, wake_count: 1, delivered_count: 1 });
    expect(pushes).toBe(losses + 2);
    expect(mails.entries()).toEqual(["harbor-incident-0000-a01"]);
    expect(remote.text(`notes/${losses}.md`)).toBe("unrelated\n");
    expectStraightLine(remote);
  },
  TIMEOUT,
);

test(
  "a pass lands while two others keep pushing to the same branch, several times a second",
  async () => {
    const jobIds = ids(10);
    const remote = new GitRemote(jobFiles(jobIds.map((jobId) => dueJob(jobId))));
    await using _one = new BusyNeighbour(remote);
    await using _two = new BusyNeighbour(remote);
    const mails = new LineLog<string>(join(tempDirectory(), "mails"));
    const fleet = await openGitFleet(remote.clone("--depth", "1"), () => NOON);
    const summary = await runTick({ ...fleet, mailer: loggingMailer(mails) }, { workerId: "gh-watchdog" });
    expect(summary).toMatchObject({ ok: true, wake_count: 10, delivered_count: 10 });
    expect(mails.entries()).toHaveLength(10);
    for (const jobId of jobIds) {
      expect(remote.job(jobId).event_receipts.map(({ event }) => event)).toEqual(["wake", "deliver"]);
    }
  },
  TIMEOUT,
);

test(
  "a pass that loses every race gives up with CONFLICT rows, and neither wakes nor mails",
  async () => {
    const remote = new GitRemote(jobFiles([dueJob("harbor-incident-0000")]));
    let pushes = 0;
    const ports = await portsOver(remote.clone(), NOON, (command) => {
      if (command === "push") remote.commit({ [`notes/${pushes++}.md`]: "unrelated\n" });
    });
    const mails = new LineLog<string>(join(tempDirectory(), "mails"));
    const summary = await runTick({ ...ports, mailer: loggingMailer(mails) }, { workerId: "gh-watchdog" });
    expect(summary).toMatchObject({ ok: false, error_count: 1, wake_count: 0, deliveries: [] });
    expect(summary.jobs).toMatchObject([{ action: "ERROR", reason: "CONFLICT", invoke_model: false }]);
    expect(mails.entries()).toEqual([]);
    expect(remote.job("harbor-incident-0000")).toMatchObject({ status: "OPEN", attempt_count: 0 });
  },
  TIMEOUT,
);

test("mail goes out only when the remote holds its wake, and never for a wake that did not land", async () => {
  const jobIds = ids(5);
  const remote = new GitRemote(jobFiles(jobIds.map((jobId) => dueJob(jobId))));
  const seen: string[] = [];
  const mailer: Mailer = {
    async send(letters: readonly Letter[]) {
      for (const { attempt_id } of letters) {
        const job = remote.job(attempt_id.replace(/-a01$/, ""));
        expect(job).toMatchObject({ status: "LEASED", event_receipts: [{ event: "wake", attempt_id, mail: "owed" }] });
        seen.push(attempt_id);
      }
      return new Map();
    },
  };
  const ports = { ...(await openGitFleet(remote.clone(), () => NOON)), mailer };
  remote.hook("pre-receive", "echo 'GH006: Protected branch update failed' >&2; exit 1");
  expect(await jobErrorFrom(() => runTick(ports, { workerId: "gh-watchdog" }))).toMatchObject({ code: "PUSH_REFUSED" });
  expect(seen).toEqual([]);
  remote.hook("pre-receive", "exit 0");
  expect(await runTick(ports, { workerId: "gh-watchdog" })).toMatchObject({ wake_count: 5 });
  expect(seen).toEqual(jobIds.map((jobId) => `${jobId}-a01`));
});

test(
  "a harness that is away for two days burns none of eight attempts of five minutes, and then claims the first",
  async () => {
    const jobId = "harbor-incident-0000";
    const remote = new GitRemote(jobFiles([dueJob(jobId, { lease_seconds: 300, max_attempts: 8 })]));
    let now = NOON;
    const mails = new LineLog<string>(join(tempDirectory(), "mails"));
    const fleet = await openGitFleet(remote.clone("--depth", "1"), () => now);
    const ports = { ...fleet, mailer: loggingMailer(mails) };
    // A watchdog as late as it has been seen: every quarter of an hour, with gaps of eight hours.
    for (let i = 0; now < NOON + 2 * 86_400; i++) {
      await runTick(ports, { workerId: "gh-watchdog" });
      expect(remote.job(jobId)).toMatchObject({
        attempt_count: 1,
        event_receipts: expect.not.arrayContaining([{ event: "exhaust" }]),
      });
      now += i % 4 === 3 ? 8 * 3_600 : 900;
    }
    while (mailFor(remote.job(jobId)) === undefined || remote.job(jobId).status !== "LEASED") {
      await runTick(ports, { workerId: "gh-watchdog" });
      if (remote.job(jobId).status !== "LEASED") now += 3_600;
    }
    expect(new Set(mails.entries())).toEqual(new Set([`${jobId}-a01`]));
    const answer = await consumeDelivery(fleet, mailFor(remote.job(jobId)), { workerId: "back-again" });
    expect(answer).toMatchObject({ state: "CLAIMED", attempt_id: `${jobId}-a01` });
    expect(remote.job(jobId)).toMatchObject({ attempt_count: 1, unclaimed_count: 0 });
  },
  TIMEOUT,
);

test("a process that lives on answers from the remote as it now is, also where its answer moves nothing", async () => {
  const remote = new GitRemote(jobFiles([dueJob("harbor-incident-0000")]));
  const fleet = await openGitFleet(remote.clone("--depth", "1"), () => NOON);
  expect(await runTick(fleet, { workerId: "gh-watchdog" })).toMatchObject({ wake_count: 1 });
  // Elsewhere a job is added, woken and mailed; here it was never heard of.
  remote.commit(jobFiles([dueJob("harbor-incident-0001")]));
  const elsewhere = await openGitFleet(remote.clone(), () => NOON);
  await runTick(elsewhere, { workerId: "gh-watchdog" });
  const mail = mailFor(remote.job("harbor-incident-0001"));
  expect(await consumeDelivery(fleet, mail, { workerId: "w" })).toMatchObject({ state: "CLAIMED" });
  // And the other way round: what was open when it was last seen is cancelled by now.
  expect(await cancelJob(elsewhere, "harbor-incident-0001", "elsewhere")).toMatchObject({ state: "CANCELLED" });
  expect(await cancelJob(fleet, "harbor-incident-0001", "here")).toMatchObject({ state: "CANCELLED", replay: true });
  expect(remote.job("harbor-incident-0001").cancel_reason).toBe("elsewhere");
});
