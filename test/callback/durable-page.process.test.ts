import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { type Claimed, consumeDelivery } from "../../src/callback/consume-delivery.ts";
import { finishDelivery } from "../../src/callback/finish-delivery.ts";
import type { Fleet } from "../../src/fleet.ts";
import { openGit } from "../../src/git/open-git.ts";
import { mailFor } from "../../src/mail/wake-mail.ts";
import { GitHeadPages } from "../../src/pages/git-head-pages.ts";
import { FileJobStore } from "../../src/store/file-job-store.ts";
import { runTick } from "../../src/wake/run-tick.ts";
import { butForReports } from "../support/but-for-reports.ts";
import { countingIds } from "../support/counting-ids.ts";
import { GIT_ENV, git } from "../support/git.ts";
import { addRemote, cloneOf, commitAll, freshRepository } from "../support/git-repository.ts";
import { TRAIN } from "../support/job-builder.ts";
import { JumpingClock } from "../support/jumping-clock.ts";
import { MemoryFleet, WORKER } from "../support/memory-fleet.ts";
import { noHolds } from "../support/no-holds.ts";
import { NOON } from "../support/noon.ts";

/** A checkout with a remote, jobs as files, and the truth about pages from git itself. */
interface Checkout {
  readonly fleet: Fleet;
  readonly directory: string;
  readonly jobFile: string;
  readonly page: string;
  readonly claim: Claimed<object, unknown>;
}

let at: Checkout;

beforeEach(async () => {
  const directory = freshRepository();
  for (const part of ["wake_jobs", "p"]) mkdirSync(join(directory, part));
  const jobFile = join(directory, "wake_jobs", `${TRAIN}.json`);
  const drafts = new MemoryFleet();
  drafts.put();
  writeFileSync(jobFile, drafts.text());
  writeFileSync(join(directory, "p", "README.md"), "pages\n");
  commitAll(directory);
  addRemote(directory);

  const clock = new JumpingClock(NOON);
  const pages = new GitHeadPages({
    git: openGit({ directory, env: GIT_ENV }),
    remote: undefined,
    branch: undefined,
    pagesDirectory: "p",
  });
  const store = new FileJobStore({ directory: join(directory, "wake_jobs"), clock });
  const fleet: Fleet = { store, pages, holds: noHolds, clock, ids: countingIds() };
  await runTick(fleet, { workerId: "gh-watchdog" });
  const job = (await store.read(TRAIN))?.job;
  const claim = await consumeDelivery(fleet, job && mailFor(job), { workerId: WORKER });
  if (!claim.invoke_model) throw new Error(`the claim was answered ${claim.state}`);
  at = { fleet, directory, jobFile, page: join(directory, "p", `${TRAIN}.md`), claim };
});

const RESULT = { kind: "page" };

function finish(result: unknown = RESULT) {
  return finishDelivery(at.fleet, at.claim, { workerId: WORKER, result, tokensUsed: 5 });
}

function pushAll(): void {
  commitAll(at.directory, "the page");
  git(at.directory, "push", "-q", "origin", "HEAD:main");
}

test.each<[string, () => void]>([
  ["not there at all", () => undefined],
  ["only in the work tree", () => writeFileSync(at.page, "the result\n")],
  [
    "only staged",
    () => {
      writeFileSync(at.page, "the result\n");
      git(at.directory, "add", "-A");
    },
  ],
  [
    "committed and not pushed",
    () => {
      writeFileSync(at.page, "the result\n");
      commitAll(at.directory);
    },
  ],
  [
    "pushed to another branch",
    () => {
      writeFileSync(at.page, "the result\n");
      commitAll(at.directory);
      git(at.directory, "push", "-q", "origin", "HEAD:draft");
    },
  ],
  [
    "a symlink, pushed",
    () => {
      symlinkSync("README.md", at.page);
      pushAll();
    },
  ],
  [
    "empty, pushed",
    () => {
      writeFileSync(at.page, "");
      pushAll();
    },
  ],
  [
    "a directory, pushed",
    () => {
      mkdirSync(at.page);
      writeFileSync(join(at.page, "page.md"), "the result\n");
      pushAll();
    },
  ],
])("a page that is %s: NOT_DURABLE, and nothing of the job changes but what was reported", async (_what, place) => {
  place();
  const before = jobAsItWas();
  expect(await finish()).toMatchObject({ ok: false, state: "NOT_DURABLE", invoke_model: false });
  expect(jobAsItWas()).toEqual(before);
});

/** The job's file, but for what the claimant reports. */
function jobAsItWas(): ReadonlyMap<string, string> {
  const jobId = basename(at.jobFile, ".json");
  return butForReports(new Map([[jobId, readFileSync(at.jobFile, "utf8")]]));
}

test("pushed while the lease stands: the same call is DONE", async () => {
  writeFileSync(at.page, "the result\n");
  expect(await finish()).toMatchObject({ state: "NOT_DURABLE" });
  pushAll();
  expect(await finish()).toMatchObject({ ok: true, state: "DONE" });
  expect(JSON.parse(readFileSync(at.jobFile, "utf8"))).toMatchObject({
    status: "DONE",
    lease: null,
    checkpoint: { step: 1 },
    tokens_used: 5,
  });
});

test("pushed by another clone, it stands though this checkout has never seen it", async () => {
  const other = cloneOf(git(at.directory, "remote", "get-url", "origin"));
  writeFileSync(join(other, "p", `${TRAIN}.md`), "the result\n");
  commitAll(other);
  git(other, "push", "-q", "origin", "HEAD:main");
  expect(await finish()).toMatchObject({ ok: true, state: "DONE" });
});

test.each(["claimed", "Sent", "PR-open", "2xx"])("result.kind %s is NOT_DURABLE although the page is pushed", async (kind) => {
  writeFileSync(at.page, "the result\n");
  pushAll();
  const before = jobAsItWas();
  expect(await finish({ kind })).toMatchObject({ state: "NOT_DURABLE" });
  expect(jobAsItWas()).toEqual(before);
});

test("a remote that cannot be asked is TRUTH_UNAVAILABLE, and the job file is unchanged", async () => {
  git(at.directory, "remote", "set-url", "origin", join(at.directory, "nowhere"));
  const before = jobAsItWas();
  await expect(finish()).rejects.toMatchObject({ code: "TRUTH_UNAVAILABLE" });
  expect(jobAsItWas()).toEqual(before);
});
