import { cpSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { PageAtHead } from "../../src/job/decide.ts";
import { parseTime } from "../../src/job/time.ts";
import type { PageOracle } from "../../src/pages/page-oracle.ts";
import { FileJobStore } from "../../src/store/file-job-store.ts";
import { runTick } from "../../src/wake/run-tick.ts";
import type { Row, TickSummary } from "../../src/wake/summary.ts";
import { countingIds } from "../support/counting-ids.ts";
import { FakeMailer } from "../support/fake-mailer.ts";
import { type ExpectedTick, expectedFleet } from "../support/fleet-repository.ts";
import { JumpingClock } from "../support/jumping-clock.ts";
import { newReceipts } from "../support/new-receipts.ts";
import { noHolds } from "../support/no-holds.ts";
import { tempDirectory } from "../support/temp-directory.ts";

const FLEET = join(import.meta.dirname, "../fixtures/fleet");

const EXPECTED = expectedFleet();

/** What a pass with `--deliver` must do to each job; one that wakes is mailed, whether the file says so or not. */
const WITH_DELIVER = Object.entries(EXPECTED.jobs).map(([name, { with_deliver, ...plain }]): [string, ExpectedTick] => {
  const expected = { ...plain, ...with_deliver };
  return [name, { ...expected, mailed: expected.mailed ?? expected.action === "WAKE" }];
});

/** The pages of the fixture as a commit of it would hold them. */
const FIXTURE_PAGES: PageOracle = {
  atHead: async () => ({ states: async (addresses) => new Map(addresses.map((address) => [address, stateOf(address)])) }),
};

function stateOf(address: string): PageAtHead {
  const path = join(FLEET, "p", `${address}.md`);
  return existsSync(path) && readFileSync(path).length > 0 ? "durable" : "absent";
}

const directory = tempDirectory();
const mailer = new FakeMailer();
let pass: TickSummary;
let before: ReadonlyMap<string, string>;
let after: ReadonlyMap<string, string>;

beforeAll(async () => {
  cpSync(join(FLEET, "wake_jobs"), directory, { recursive: true });
  before = filesOf(directory);
  pass = await tick();
  after = filesOf(directory);
});

function tick(): Promise<TickSummary> {
  const clock = new JumpingClock(parseTime(EXPECTED.now) ?? Number.NaN);
  const store = new FileJobStore({ directory, displayName: "wake_jobs", clock });
  const ports = { store, clock, mailer, pages: FIXTURE_PAGES, holds: noHolds, ids: countingIds() };
  return runTick(ports, { workerId: "gh-watchdog" });
}

/** The bytes of every job file, as text that loses none. */
function filesOf(path: string): ReadonlyMap<string, string> {
  const names = readdirSync(path).filter((name) => name.endsWith(".json"));
  return new Map(names.map((name) => [name, readFileSync(join(path, name), "latin1")]));
}

interface JobFile {
  readonly lease?: { readonly lease_id: string } | null;
  readonly event_receipts?: readonly { readonly event: string; readonly attempt_id: string; readonly carrier?: string }[];
  readonly [field: string]: unknown;
}

function jobFile(files: ReadonlyMap<string, string>, jobId: string): JobFile {
  const text = Buffer.from(files.get(`${jobId}.json`) ?? "", "latin1").toString();
  return JSON.parse(text.replace(/^\uFEFF/, ""));
}

function rowOf(name: string): Row | undefined {
  return pass.jobs.find((row) => row.job_id === name || row.error?.file === `wake_jobs/${name}`);
}

describe.each(WITH_DELIVER)("%s", (name, expected) => {
  const jobId = name.replace(/\.json$/, "");

  test(`${expected.action} · ${expected.reason ?? expected.code}`, () => {
    expect(rowOf(name)).toMatchObject({
      action: expected.action,
      reason: expected.reason ?? expected.code,
      invoke_model: expected.action === "WAKE",
      ...(expected.attempt_id && { attempt_id: expected.attempt_id }),
      ...(expected.next_wake_at && { next_wake_at: expected.next_wake_at }),
    });
  });

  test(expected.writes ? "its file changes" : "its file stays, byte for byte", () => {
    const file = `${jobId}.json`;
    expect(after.get(file) !== before.get(file)).toBe(expected.writes);
  });

  test(expected.mailed ? "it is mailed" : "no letter leaves for it", () => {
    const letters = mailer.sent.filter(({ message }) => JSON.parse(message).job_id === jobId);
    expect(letters).toHaveLength(expected.mailed ? 1 : 0);
    const deliveries = pass.deliveries.filter((delivery) => delivery.job_id === jobId && delivery.state === "MAIL");
    expect(deliveries).toHaveLength(expected.mailed ? 1 : 0);
  });

  if (expected.action === "ERROR") return;

  test("its file holds what is expected of it", () => {
    const was = jobFile(before, jobId);
    const is = jobFile(after, jobId);
    expect(is["status"] ?? "OPEN").toBe(expected.status_after);
    for (const field of ["next_wake_at", "no_progress_count", "unclaimed_count"] as const) {
      if (expected[field] !== undefined) expect(is[field] ?? 0).toBe(expected[field]);
    }
    for (const text of expected.keeps_text ?? []) expect(after.get(`${jobId}.json`)).toContain(text);
    for (const key of expected.keeps_keys ?? []) expect(is[key]).toEqual(was[key]);
    if (expected.fresh_lease) expect(is.lease?.lease_id).not.toBe(was.lease?.lease_id);

    const added = newReceipts(was.event_receipts ?? [], is.event_receipts ?? []).map(({ event }) => event);
    if (expected.receipt) expect(added).toEqual([expected.receipt]);
    if (expected.action === "WAKE") expect(added[0]).toBe("wake");
    const offers = (is.event_receipts ?? []).filter(
      ({ event, attempt_id }) => event === "wake" && attempt_id === expected.attempt_id,
    );
    if (expected.wake_receipts !== undefined) expect(offers).toHaveLength(expected.wake_receipts);
    const last = is.event_receipts?.findLast(({ event }) => event === "deliver" || event === "wake");
    if (expected.mailed) expect(last).toMatchObject({ event: "deliver", carrier: "MAIL" });
  });
});

test("every job file has its row, once", () => {
  expect(pass.jobs).toHaveLength(WITH_DELIVER.length);
  for (const [name] of WITH_DELIVER) expect(rowOf(name), name).toBeDefined();
});

test("the counts are those of the rows, and no tick runs a model", () => {
  const count = (action: string): number => WITH_DELIVER.filter(([, expected]) => expected.action === action).length;
  expect(pass).toMatchObject({
    ok: false,
    wake_count: count("WAKE"),
    stop_count: count("STOP"),
    backoff_count: count("BACKOFF"),
    hold_count: count("HOLD"),
    error_count: count("ERROR"),
    invoke_model_count: count("WAKE"),
    delivered_count: WITH_DELIVER.filter(([, expected]) => expected.mailed).length,
    process_model_invocations: 0,
    invoke_model: false,
  });
});

test("each held job has a deliveries entry with no road, and nothing left for it", () => {
  const held = WITH_DELIVER.filter(([, expected]) => expected.action === "HOLD").map(([name]) => name);
  expect(held.length).toBeGreaterThan(0);
  expect(pass.deliveries.filter(({ state }) => state === "CURSOR_QUOTA_HOLD")).toEqual(
    held.map((job_id) => ({ ok: true, state: "CURSOR_QUOTA_HOLD", job_id, attempt_id: `${job_id}-hold`, road: "none" })),
  );
});

test("no lease_id, checkpoint or objective is in any letter", () => {
  expect(mailer.sent.length).toBeGreaterThan(10);
  for (const letter of mailer.sent) {
    const text = JSON.stringify(letter);
    const mail = JSON.parse(letter.message);
    const job = jobFile(after, mail.job_id);
    expect(Object.keys(mail).sort()).toEqual(["attempt_id", "body", "from", "harness", "id", "job_id", "to"]);
    expect(text).not.toContain(job.lease?.lease_id);
    expect(text).not.toMatch(/lease-fresh|checkpoint/);
    expect(text).not.toContain(String(job["objective"]));
    expect(Buffer.byteLength(letter.message)).toBeLessThanOrEqual(4095);
  }
});

test("the next pass at the same moment mails nothing and writes nothing", async () => {
  const sent = mailer.sent.length;
  const again = await tick();
  expect(again).toMatchObject({ wake_count: 0, delivered_count: 0 });
  expect(mailer.sent).toHaveLength(sent);
  expect(filesOf(directory)).toEqual(after);
});
