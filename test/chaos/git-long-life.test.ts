import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { consumeDelivery, type Fleet, failDelivery, finishDelivery } from "../../src/callback/index.ts";
import { systemClock } from "../../src/facts/clock.ts";
import { randomIds } from "../../src/facts/ids.ts";
import { openGit } from "../../src/git/open-git.ts";
import type { Job, Status } from "../../src/job/job.ts";
import { formatTime } from "../../src/job/time.ts";
import type { JsonObject } from "../../src/json/json.ts";
import type { Letter } from "../../src/mail/mailer.ts";
import { cancelJob } from "../../src/owner/change-job.ts";
import { GitHeadPages } from "../../src/pages/git-head-pages.ts";
import { runTick } from "../../src/wake/run-tick.ts";
import type { Row } from "../../src/wake/summary.ts";
import { dueJob } from "../support/due-job.ts";
import { FakeMailer } from "../support/fake-mailer.ts";
import { GIT_ENV } from "../support/git.ts";
import { expectStraightLine } from "../support/git-arena.ts";
import { storeOver } from "../support/git-fleet.ts";
import { GitRemote, jobFiles } from "../support/git-remote.ts";
import { noHolds } from "../support/no-holds.ts";
import { NOON } from "../support/noon.ts";
import { SeededRandom } from "../support/seeded-random.ts";
import { GIT_COUNTS, GIT_CHAOS_TIMEOUT_MS as TIMEOUT } from "./git-counts.ts";

const DAY = 86_400;
const SEED = 20_261_130;
/** Longer lives have more work in them, and not a long quiet end. */
const STRETCH = GIT_COUNTS.days / 14;
const STEPS = Math.round(6 * STRETCH);

/** What becomes of a job, and what its harness does with every attempt that it is offered. */
interface Fate {
  readonly fields: JsonObject;
  readonly work: "finish" | "fail" | "away";
  readonly end: { readonly status: Status; readonly reason?: string };
}

const FATES: Readonly<Record<string, Fate>> = {
  steps: {
    fields: {
      completion_predicate: { type: "checkpoint_equals", path: "step", value: STEPS },
      result_address: "page-of-all-0001",
    },
    work: "finish",
    end: { status: "DONE" },
  },
  away: {
    fields: { deadline: formatTime(NOON + Math.round(9 * STRETCH * DAY)) },
    work: "away",
    end: { status: "EXHAUSTED", reason: "DEADLINE" },
  },
  stuck: { fields: { max_attempts: 5 }, work: "fail", end: { status: "EXHAUSTED", reason: "NO_PROGRESS" } },
  costly: { fields: { budget_tokens: 5_000 }, work: "finish", end: { status: "EXHAUSTED", reason: "BUDGET" } },
  tries: { fields: { max_attempts: 4 }, work: "finish", end: { status: "EXHAUSTED", reason: "MAX_ATTEMPTS" } },
  dropped: { fields: {}, work: "finish", end: { status: "CANCELLED" } },
};
const KINDS = Object.keys(FATES);
const JOBS_EACH = 5;

/** Whether a row says that its pass moved the job, for a job whose status was this before. */
function hasMoved({ action, reason }: Row, before: Status): boolean {
  if (action === "WAKE" || action === "BACKOFF") return true;
  return (
    action === "STOP" &&
    ["DONE", "DEADLINE", "BUDGET", "MAX_ATTEMPTS", "NO_PROGRESS"].includes(reason) &&
    before !== reason &&
    !isOver(before)
  );
}

function isOver(status: Status): boolean {
  return status === "DONE" || status === "CANCELLED" || status === "EXHAUSTED";
}

function below(random: SeededRandom, limit: number): number {
  return Math.floor(random.next() * limit);
}

/** Late and dropped runs, as they have been seen: half come when they should, the others up to eight hours apart. */
function nextGap(random: SeededRandom): number {
  const luck = below(random, 10);
  if (luck < 5) return 900;
  return luck < 8 ? 3_600 : 7_200 + below(random, 21_601);
}

test(
  `${GIT_COUNTS.days} days of ticks over 30 jobs: a commit for what a pass decided, one for its mail, none for nothing, and every job ends as it should`,
  async () => {
    const random = new SeededRandom(SEED);
    const jobs = KINDS.flatMap((kind) =>
      Array.from({ length: JOBS_EACH }, (_, i) =>
        dueJob(`harbor-${kind}-000${i}`, {
          backoff_seconds: 600,
          max_backoff_seconds: 4 * 3_600,
          next_wake_at: formatTime(NOON + below(random, 2 * STRETCH * DAY)),
          ...FATES[kind]?.fields,
        }),
      ),
    );
    const remote = new GitRemote({ "p/page-of-all-0001.md": "the result\n", ...jobFiles(jobs) });
    let now = NOON;
    const clock = { now: () => now, monotonic: systemClock.monotonic };
    const fleetOf = (clone: string): Fleet => {
      const git = openGit({ directory: clone, env: GIT_ENV });
      const pages = new GitHeadPages({ git, pagesDirectory: "p" });
      return { store: storeOver(git, () => now), pages, holds: noHolds, clock, ids: randomIds };
    };
    const watchdog = fleetOf(remote.clone("--depth", "1"));
    const harness = fleetOf(remote.clone());
    const mailer = new FakeMailer();

    const statuses = new Map<string, Status>(jobs.map(({ job_id }) => [job_id, "OPEN"]));
    let commits = 1;
    let passes = 0;
    let changed = 0;
    const claims = new Map<string, number>();

    const work = async ({ message }: Letter): Promise<void> => {
      const kind = KINDS.find((candidate) => message.includes(`harbor-${candidate}-`)) ?? "";
      const fate = FATES[kind];
      if (fate === undefined || fate.work === "away") return;
      const claim = await consumeDelivery(harness, message, { workerId: "harness" });
      if (claim.state !== "CLAIMED" || !claim.invoke_model) return;
      claims.set(claim.attempt_id, (claims.get(claim.attempt_id) ?? 0) + 1);
      const ended =
        fate.work === "fail"
          ? await failDelivery(harness, claim, { workerId: "harness", detail: "no luck" })
          : await finishDelivery(harness, claim, {
              workerId: "harness",
              tokensUsed: 700,
              nextWakeAt: formatTime(now + 3_600 + below(random, (STRETCH * DAY) / 4)),
            });
      expect(ended.ok).toBe(true);
      if (ended.state === "DONE") statuses.set(claim.job_id, "DONE");
      commits += 2;
      expect([message, remote.moves()]).toEqual([message, commits]);
    };

    for (let run = 0; now < NOON + GIT_COUNTS.days * DAY; run++) {
      const summary = await runTick({ ...watchdog, mailer }, { workerId: "gh-watchdog" });
      passes++;
      expect(summary.error_count).toBe(0);
      const isChange = summary.jobs.some((row) => hasMoved(row, statuses.get(row.job_id ?? "") ?? "OPEN"));
      if (isChange) changed++;
      commits += (isChange ? 1 : 0) + (summary.delivered_count > 0 ? 1 : 0);
      for (const { job_id, status } of summary.jobs) if (job_id !== null && status !== null) statuses.set(job_id, status);
      expect([run, remote.moves()]).toEqual([run, commits]);
      for (const letter of mailer.sent.splice(0)) if (below(random, 10) < 8) await work(letter);
      if (run === 40) {
        for (const { job_id } of jobs.filter(({ job_id }) => job_id.includes("-dropped-"))) {
          if ((await cancelJob(harness, job_id, "not needed")).ok) commits++;
        }
      }
      now += nextGap(random);
    }

    expect(remote.history()).toHaveLength(commits);
    expectStraightLine(remote);
    expect([...claims.values()].filter((times) => times !== 1)).toEqual([]);
    for (const kind of KINDS) {
      for (let i = 0; i < JOBS_EACH; i++) {
        const job: Job = remote.job(`harbor-${kind}-000${i}`);
        const { status, reason } = FATES[kind]?.end ?? expect.fail(kind);
        expect([job.job_id, job.status, job.exhausted_reason]).toEqual([job.job_id, status, reason]);
        expect(job.lease).toBeNull();
        if (kind === "away") expect(job).toMatchObject({ attempt_count: 1, tokens_used: 0 });
        if (kind === "costly") expect(job.tokens_used).toBe(5_600);
        if (kind === "steps") expect(job.checkpoint).toEqual({ step: STEPS });
        expect(job.attempt_count).toBeLessThanOrEqual(job.max_attempts);
      }
    }
    const loose = bytesUnder(join(remote.directory, "objects"));
    remote.git("gc", "-q", "--prune=now");
    const packed = bytesUnder(join(remote.directory, "objects"));
    process.stdout.write(
      `${GIT_COUNTS.days} days, ${passes} passes, ${changed} changed something, ${commits} commits with those of harnesses; ` +
        `the remote grew to ${kilobytes(loose)} loose, ${kilobytes(packed)} after gc (seed ${SEED})\n`,
    );
  },
  TIMEOUT,
);

function bytesUnder(directory: string): number {
  return readdirSync(directory, { recursive: true, encoding: "utf8" }).reduce((sum, name) => {
    const entry = statSync(join(directory, name));
    return sum + (entry.isFile() ? entry.size : 0);
  }, 0);
}

function kilobytes(bytes: number): string {
  return `${Math.round(bytes / 1024)} KiB`;
}
