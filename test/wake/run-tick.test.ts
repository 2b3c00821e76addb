import { beforeEach, describe, expect, test } from "vitest";
import { JobError } from "../../src/errors/job-error.ts";
import { clockAt } from "../../src/facts/clock.ts";
import type { Mailer } from "../../src/mail/mailer.ts";
import type { Found, JobEntry, JobStore, Outcome, StepFunction } from "../../src/store/job-store.ts";
import { MemoryJobStore } from "../../src/store/memory-job-store.ts";
import { runTick } from "../../src/wake/run-tick.ts";
import type { Row, TickSummary } from "../../src/wake/summary.ts";
import { countingIds } from "../support/counting-ids.ts";
import { FakePages, noGit } from "../support/fake-pages.ts";
import { jobText } from "../support/job-builder.ts";
import { jobErrorFrom } from "../support/job-error-of.ts";
import { noHolds } from "../support/no-holds.ts";
import { atNoon, NOON } from "../support/noon.ts";
import { WOKEN_AT_STEP_0 } from "../support/woken-job.ts";

const ON_PAGE = { completion_predicate: { type: "result_address_on_head" } };

let texts: Map<string, string>;
let pages: FakePages;
beforeEach(() => {
  texts = new Map();
  pages = new FakePages();
});

function seed(id: string, fields: object = {}): void {
  texts.set(id, jobText({ job_id: id, ...fields }));
}

/** A job whose page is asked for. */
function seedAsking(id: string, fields: object = {}): void {
  seed(id, { ...ON_PAGE, result_address: `${id}-page`, ...fields });
}

/** A mailer whose pass is over before the first letter: all mail stays owed. */
const REACHES_NOBODY: Mailer = { send: async () => new Map() };

function tick(
  { deliver = false, dryRun = false }: { deliver?: boolean; dryRun?: boolean } = {},
  store: JobStore = new MemoryJobStore(texts),
): Promise<TickSummary> {
  const ports = { store, pages, holds: noHolds, clock: clockAt(NOON), ids: countingIds() };
  return runTick({ ...ports, ...(deliver && { mailer: REACHES_NOBODY }) }, { workerId: "gh-watchdog", dryRun });
}

function verdicts(rows: readonly Row[]): string[] {
  return rows.map(({ job_id, action, reason }) => `${job_id} ${action} ${reason}`);
}

/** One of each kind of answer. */
function seedFleet(): void {
  seed("harbor-01-due");
  seed("harbor-02-not-due", { next_wake_at: atNoon(60) });
  seed("harbor-03-stalled", WOKEN_AT_STEP_0);
  seed("harbor-04-held", { harness: "cursor" });
  seedAsking("harbor-05-page-there");
  seedAsking("harbor-06-page-missing");
  texts.set("harbor-07-broken", "{");
  seed("harbor-08-bad-field", { deadline: "soon" });
  seed("harbor-09-done", { status: "DONE" });
  seed("harbor-10-late", { deadline: atNoon(-1) });
  pages.durable.add("harbor-05-page-there-page");
}

const FLEET_VERDICTS = [
  "harbor-01-due WAKE RUNNABLE",
  "harbor-02-not-due STOP NOT_DUE",
  "harbor-03-stalled BACKOFF UNCHANGED_CHECKPOINT",
  "harbor-04-held HOLD CURSOR_QUOTA_HOLD",
  "harbor-05-page-there STOP DONE",
  "harbor-06-page-missing WAKE RUNNABLE",
  "null ERROR CORRUPT",
  "harbor-08-bad-field ERROR SCHEMA",
  "harbor-09-done STOP DONE",
  "harbor-10-late STOP DEADLINE",
];

describe("a tick", () => {
  test("answers one row for each job, in the order of their files", async () => {
    seedFleet();
    expect(verdicts((await tick()).jobs)).toEqual(FLEET_VERDICTS);
  });

  test("counts its rows, and is not ok when any row is ERROR", async () => {
    seedFleet();
    expect(await tick()).toMatchObject({
      ok: false,
      state: "TICKED",
      now: atNoon(),
      worker_id: "gh-watchdog",
      wake_count: 2,
      stop_count: 4,
      backoff_count: 1,
      hold_count: 1,
      error_count: 2,
      invoke_model_count: 2,
      deliveries: [],
      delivered_count: 0,
      process_model_invocations: 0,
      invoke_model: false,
    });
  });

  test("is ok and counts nothing over an empty fleet", async () => {
    expect(await tick()).toMatchObject({ ok: true, jobs: [], wake_count: 0, stop_count: 0, error_count: 0 });
  });

  test("says invoke_model on the rows that wake, and on no other", async () => {
    seedFleet();
    const { jobs } = await tick();
    for (const row of jobs) expect(row.invoke_model).toBe(row.action === "WAKE");
  });

  test("answers rows as the contract spells them", async () => {
    seed("harbor-01-due", { next_wake_at: "2026-11-30T12:00:00+01:00" });
    texts.set("harbor-02-broken", "{");
    const { jobs } = await tick();
    expect(jobs[0]).toEqual({
      job_id: "harbor-01-due",
      action: "WAKE",
      reason: "RUNNABLE",
      invoke_model: true,
      status: "LEASED",
      harness: "script",
      next_wake_at: atNoon(-3600),
      attempt_id: "harbor-01-due-a01",
    });
    expect(jobs[1]).toEqual({
      job_id: null,
      action: "ERROR",
      reason: "CORRUPT",
      invoke_model: false,
      status: null,
      harness: null,
      next_wake_at: null,
      error: { code: "CORRUPT", message: expect.stringContaining("harbor-02-broken.json"), file: "memory/harbor-02-broken.json" },
    });
  });

  test("writes what it says: each row's status is the file's", async () => {
    seedFleet();
    const { jobs } = await tick();
    for (const { job_id, status } of jobs) {
      if (status !== null) expect({ status: "OPEN", ...JSON.parse(texts.get(job_id ?? "") ?? "") }).toMatchObject({ status });
    }
  });

  test("replayed at the same moment wakes nobody and changes nothing", async () => {
    seedFleet();
    await tick();
    const after = new Map(texts);
    const again = await tick();
    expect(again).toMatchObject({ wake_count: 0, backoff_count: 0 });
    expect(texts).toEqual(after);
  });

  test("takes no transaction when it changes nothing", async () => {
    seed("harbor-02-not-due", { next_wake_at: atNoon(60) });
    seed("harbor-09-done", { status: "DONE" });
    texts.set("harbor-07-broken", "{");
    const store = new RivalStore(texts, () => expect.fail("took a transaction"));
    expect((await tick({}, store)).jobs).toHaveLength(3);
  });

  test("transacts only the jobs that move", async () => {
    seedFleet();
    const moving: string[] = [];
    await tick({}, new RivalStore(texts, (ids) => moving.push(...ids)));
    expect(moving).toEqual([
      "harbor-01-due",
      "harbor-03-stalled",
      "harbor-05-page-there",
      "harbor-06-page-missing",
      "harbor-10-late",
    ]);
  });

  test("with --deliver gives a held job one receipt and a deliveries entry each time", async () => {
    seed("harbor-04-held", { harness: "cursor" });
    const delivery = {
      ok: true,
      state: "CURSOR_QUOTA_HOLD",
      job_id: "harbor-04-held",
      attempt_id: "harbor-04-held-hold",
      road: "none",
    };
    expect(await tick({ deliver: true })).toMatchObject({ ok: true, hold_count: 1, deliveries: [delivery], delivered_count: 0 });
    const after = texts.get("harbor-04-held");
    expect(JSON.parse(after ?? "").event_receipts).toHaveLength(1);
    expect((await tick({ deliver: true })).deliveries).toEqual([delivery]);
    expect(texts.get("harbor-04-held")).toBe(after);
  });

  test("says nothing of deliveries without --deliver", async () => {
    seed("harbor-04-held", { harness: "cursor" });
    expect((await tick()).deliveries).toEqual([]);
  });
});

describe("--dry-run", () => {
  test.each([false, true])("writes nothing, and its rows are the real run's (deliver: %s)", async (deliver) => {
    seedFleet();
    const before = new Map(texts);
    const dry = await tick({ deliver, dryRun: true }, new RivalStore(texts, () => expect.fail("took a transaction")));
    expect(texts).toEqual(before);
    expect(dry).toEqual({ ...(await tick({ deliver })), written: false });
    expect(texts).not.toEqual(before);
  });
});

describe("pages", () => {
  test("are asked for all at once, HEAD resolved once", async () => {
    for (const id of ["harbor-0001", "harbor-0002", "harbor-0003"]) seedAsking(id);
    seedAsking("harbor-0004", { result_address: "harbor-0001-page" });
    await tick();
    expect(pages.resolutions).toBe(1);
    expect(pages.asked).toEqual([["harbor-0001-page", "harbor-0002-page", "harbor-0003-page"]]);
  });

  test("are not asked for by a fleet with nothing to verify", async () => {
    seed("harbor-0001");
    seed("harbor-0002", { result_address: "harbor-0002" });
    seedAsking("harbor-0003", { status: "DONE" });
    seedAsking("harbor-0004", { completion_predicate: { type: "checkpoint_equals", value: 7 } });
    seedAsking("harbor-0005", { result_address: "" });
    await tick();
    expect(pages.resolutions).toBe(0);
  });

  test.each(["atHead", "states"])(
    "that cannot be told make ERROR TRUTH_UNAVAILABLE only of the jobs that needed one (%s)",
    async (call) => {
      seed("harbor-0001");
      seedAsking("harbor-0002");
      seed("harbor-0003");
      seedAsking("harbor-0004", { deadline: atNoon(-1) });
      const before = texts.get("harbor-0002");
      if (call === "atHead") pages.failure = noGit();
      else {
        pages.onAsk = () => {
          pages.failure = noGit();
        };
      }
      const summary = await tick();
      expect(verdicts(summary.jobs)).toEqual([
        "harbor-0001 WAKE RUNNABLE",
        "harbor-0002 ERROR TRUTH_UNAVAILABLE",
        "harbor-0003 WAKE RUNNABLE",
        "harbor-0004 ERROR TRUTH_UNAVAILABLE",
      ]);
      expect(summary.jobs[1]?.error?.message).toContain("no network");
      expect(texts.get("harbor-0002")).toBe(before);
      expect(pages.resolutions).toBe(1);
    },
  );

  test("that fail by a bug are not taken for a missing network", async () => {
    seedAsking("harbor-0001");
    pages.onAsk = () => {
      throw new TypeError("a bug");
    };
    await expect(tick()).rejects.toThrow(TypeError);
  });
});

/** A memory store whose jobs a rival changes right before each transaction. */
class RivalStore implements JobStore {
  readonly kind = "file";
  readonly #store: MemoryJobStore;
  readonly #before: (jobIds: readonly string[]) => void;

  constructor(texts: Map<string, string>, before: (jobIds: readonly string[]) => void) {
    this.#store = new MemoryJobStore(texts);
    this.#before = before;
  }

  scan(): Promise<Iterable<JobEntry>> {
    return this.#store.scan();
  }

  read(jobId: string): Promise<JobEntry | undefined> {
    return this.#store.read(jobId);
  }

  transact<Answer>(jobIds: readonly string[], step: StepFunction<Answer>): Promise<ReadonlyMap<string, Outcome<Answer>>> {
    this.#before(jobIds);
    return this.#store.transact(jobIds, step);
  }
}

describe("a job that changed between reading and writing is decided again on what it then is", () => {
  const changing: readonly [string, object, string][] = [
    ["somebody else woke it", { status: "LEASED", lease: { lease_id: "l", holder: "h", until: atNoon(900) } }, "STOP LEASE_HELD"],
    ["its owner cancelled it", { status: "CANCELLED" }, "STOP CANCELLED"],
    ["its owner put it off", { next_wake_at: atNoon(60) }, "STOP NOT_DUE"],
    ["somebody broke it", { deadline: "soon" }, "ERROR SCHEMA"],
  ];

  test.each(changing)("%s", async (_how, fields, verdict) => {
    seed("harbor-0001");
    seed("harbor-0002");
    const summary = await tick({}, new RivalStore(texts, () => seed("harbor-0001", fields)));
    expect(verdicts(summary.jobs)).toEqual([`harbor-0001 ${verdict}`, "harbor-0002 WAKE RUNNABLE"]);
    expect(JSON.parse(texts.get("harbor-0001") ?? "")).toMatchObject(fields);
  });

  test("a job that is gone has no row", async () => {
    seed("harbor-0001");
    seed("harbor-0002");
    const summary = await tick({}, new RivalStore(texts, () => texts.delete("harbor-0001")));
    expect(verdicts(summary.jobs)).toEqual(["harbor-0002 WAKE RUNNABLE"]);
    expect(texts.has("harbor-0001")).toBe(false);
  });

  test("one that now needs a page is asked about outside the transaction, and settled in the next", async () => {
    seed("harbor-0001");
    pages.durable.add("harbor-0001-page");
    let transactions = 0;
    const store = new RivalStore(texts, () => {
      if (transactions++ === 0) seedAsking("harbor-0001");
    });
    expect(verdicts((await tick({}, store)).jobs)).toEqual(["harbor-0001 STOP DONE"]);
    expect(transactions).toBe(2);
    expect(pages.asked).toEqual([["harbor-0001-page"]]);
  });

  test("one that keeps changing under its page check gets ERROR CONFLICT after four tries, and the others go on", async () => {
    seed("harbor-0001");
    seed("harbor-0002");
    let transactions = 0;
    const store = new RivalStore(texts, () => {
      transactions++;
      seedAsking("harbor-0001", { result_address: `harbor-page-${transactions}` });
    });
    const summary = await tick({}, store);
    expect(verdicts(summary.jobs)).toEqual(["harbor-0001 ERROR CONFLICT", "harbor-0002 WAKE RUNNABLE"]);
    expect(summary.jobs[0]?.error?.message).toContain("harbor-0001");
    expect(transactions).toBe(4);
    expect(JSON.parse(texts.get("harbor-0001") ?? "")).not.toHaveProperty("lease");
    expect(pages.resolutions).toBe(1);
  });

  test("one that needs a page when git cannot say any more is TRUTH_UNAVAILABLE, not a conflict", async () => {
    seed("harbor-0001");
    pages.failure = noGit();
    const store = new RivalStore(texts, () => seedAsking("harbor-0001"));
    expect(verdicts((await tick({}, store)).jobs)).toEqual(["harbor-0001 ERROR TRUTH_UNAVAILABLE"]);
  });
});

test("a store that can decide nothing at all is thrown on", async () => {
  const gone = new JobError("CONFIG", "wake_jobs: is not there");
  const store: JobStore = {
    kind: "file",
    scan: () => Promise.reject(gone),
    read: async () => undefined,
    transact: async <Answer>(_ids: readonly string[], _step: (found: Found) => { answer: Answer }) => new Map(),
  };
  expect(await jobErrorFrom(() => tick({}, store))).toBe(gone);
});
