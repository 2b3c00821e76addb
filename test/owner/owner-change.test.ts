import { beforeEach, describe, expect, test } from "vitest";
import type { Answer } from "../../src/answer.ts";
import type { JsonObject } from "../../src/json/json.ts";
import { blockJob, cancelJob, unblockJob, updateJob } from "../../src/owner/change-job.ts";
import { createJob } from "../../src/owner/create-job.ts";
import type { OwnerFields } from "../../src/owner/owner-fields.ts";
import { TRAIN } from "../support/job-builder.ts";
import { MemoryFleet, verdict } from "../support/memory-fleet.ts";
import { atNoon } from "../support/noon.ts";

let fleet: MemoryFleet;

beforeEach(() => {
  fleet = new MemoryFleet();
});

const FIELDS = {
  job_id: TRAIN,
  owner_claim: "HARBOR",
  harness: "script",
  objective: "Keep the release train moving.",
  deadline: "2027-12-31",
} as const;

/** The answer's state, once it is certain that the call changed nothing. */
async function unchanged(call: () => Promise<Answer>): Promise<string> {
  const before = new Map(fleet.texts);
  const { state, invoke_model } = await call();
  expect(fleet.texts).toEqual(before);
  expect(invoke_model).toBe(false);
  return state;
}

describe("create", () => {
  test("adds a job that is due now, with its page at its own id", async () => {
    expect(await createJob(fleet, FIELDS)).toMatchObject({ ok: true, state: "CREATED" });
    expect(await fleet.job()).toMatchObject({ status: "OPEN", result_address: TRAIN, next_wake_at: atNoon(0) });
    expect(verdict(await fleet.tick())).toBe("WAKE RUNNABLE");
  });

  test("keeps an address of none where it is asked to", async () => {
    await createJob(fleet, { ...FIELDS, result_address: "" });
    expect(await fleet.job()).toMatchObject({ result_address: "" });
  });

  test("refuses an id that exists, also in another case", async () => {
    await createJob(fleet, FIELDS);
    expect(await unchanged(() => createJob(fleet, FIELDS))).toBe("EXISTS");
    const job_id = TRAIN.toUpperCase();
    expect(await unchanged(() => createJob(fleet, { ...FIELDS, job_id }))).toBe("EXISTS");
  });

  test("refuses an address whose page already stands, unless told so", async () => {
    fleet.pages.durable.add(TRAIN);
    expect(await unchanged(() => createJob(fleet, FIELDS))).toBe("PAGE_EXISTS");
    expect(await createJob(fleet, FIELDS, { allowExistingPage: true })).toMatchObject({ state: "CREATED" });
  });
});

/** What only transitions write. */
const KEPT: readonly (readonly [string, JsonObject])[] = [
  ["status", { status: "DONE" }],
  ["lease", { lease: null }],
  ["attempt_count", { attempt_count: 0 }],
  ["tokens_used", { tokens_used: 0 }],
  ["no_progress_count", { no_progress_count: 0 }],
  ["unclaimed_count", { unclaimed_count: 0 }],
  ["event_receipts", { event_receipts: [] }],
];

test.each(KEPT)("neither create nor update writes %s: SCHEMA", async (field, edit) => {
  await expect(createJob(fleet, { ...FIELDS, ...edit })).rejects.toMatchObject({ code: "SCHEMA", field });
  fleet.put();
  const before = fleet.text();
  await expect(updateJob(fleet, TRAIN, edit)).rejects.toMatchObject({ code: "SCHEMA", field });
  expect(fleet.text()).toBe(before);
});

describe("fields as a harness holds them", () => {
  test("take integers beyond 2^53 as bigint, and what an update does not change keeps its text", async () => {
    const checkpoint = { snowflake: 1234567890123456789n, step: 1 };
    expect(await createJob(fleet, { ...FIELDS, checkpoint })).toMatchObject({ state: "CREATED" });
    expect(fleet.texts.get(TRAIN)).toContain('"snowflake": 1234567890123456789');
    expect(await updateJob(fleet, TRAIN, { checkpoint: { ...checkpoint, step: 2 } })).toMatchObject({ state: "UPDATED" });
    expect(fleet.texts.get(TRAIN)).toMatch(/"snowflake": 1234567890123456789,\n {4}"step": 2/);
  });

  test("refuse what JSON cannot hold", async () => {
    await expect(createJob(fleet, { ...FIELDS, checkpoint: { when: new Date(0) } })).rejects.toMatchObject({ code: "SCHEMA" });
  });
});

describe("update", () => {
  const SHIELDED: readonly (readonly [string, JsonObject])[] = [
    ["checkpoint", { checkpoint: { step: 9 } }],
    ["harness", { harness: "codex" }],
    ["predicate", { completion_predicate: { type: "result_address_on_head" } }],
    ["address", { result_address: "harbor-page-0001" }],
  ];

  test.each(SHIELDED)("under a live lease not the %s: LEASE_HELD; once it is over it may", async (_what, edit) => {
    await fleet.atWork();
    expect(await unchanged(() => updateJob(fleet, TRAIN, edit))).toBe("LEASE_HELD");
    fleet.clock.step(900);
    expect(await updateJob(fleet, TRAIN, edit)).toMatchObject({ ok: true, state: "UPDATED" });
    expect(await fleet.job()).toMatchObject(edit);
  });

  test("under a live lease the owner's other fields may change, and the lease stays", async () => {
    const { lease } = await fleet.atWork();
    const edit = { objective: "Another.", deadline: "2028-01-01T00:00:00Z", max_attempts: 3, backoff_seconds: 5 };
    expect(await updateJob(fleet, TRAIN, edit)).toMatchObject({ ok: true, state: "UPDATED" });
    expect(await fleet.job()).toMatchObject({ ...edit, lease });
  });

  test("budget_tokens can be lowered, never raised or removed", async () => {
    fleet.put({ budget_tokens: 1000 });
    for (const budget_tokens of [1001, null]) {
      await expect(updateJob(fleet, TRAIN, { budget_tokens } as OwnerFields)).rejects.toMatchObject({
        code: "SCHEMA",
        field: "budget_tokens",
      });
    }
    await updateJob(fleet, TRAIN, { budget_tokens: 10 });
    await expect(updateJob(fleet, TRAIN, { budget_tokens: 1000 })).rejects.toMatchObject({ code: "SCHEMA" });
    expect(await fleet.job()).toMatchObject({ budget_tokens: 10 });
  });

  test("job_id is for the life of the job", async () => {
    fleet.put();
    const edit = { job_id: "harbor-other-0001" } as OwnerFields;
    await expect(updateJob(fleet, TRAIN, edit)).rejects.toMatchObject({ code: "SCHEMA", field: "job_id" });
  });
});

describe("block and unblock", () => {
  test("block: BLOCKED, fingerprint remembered over {detail, kind}; the live lease runs out by itself", async () => {
    const claim = await fleet.atWork();
    expect(await blockJob(fleet, TRAIN, "external_authority", "no key")).toMatchObject({ ok: true, state: "BLOCKED" });
    const fingerprint = expect.stringMatching(/^[0-9a-f]{16}$/);
    const { status, lease, blocker, last_blocker_fingerprint } = await fleet.job();
    expect({ status, lease, blocker }).toEqual({
      status: "BLOCKED",
      lease: claim.lease,
      blocker: { kind: "external_authority", detail: "no key", fingerprint },
    });
    expect(last_blocker_fingerprint).toBe(blocker?.fingerprint);
    expect(verdict(await fleet.deliver())).toBe("STOP BLOCKED_UNCHANGED");
    expect(await unchanged(() => blockJob(fleet, TRAIN, "external_authority", "no key"))).toBe("BLOCKED");
  });

  test("unblock: blocker and fingerprint cleared, OPEN", async () => {
    fleet.put();
    await blockJob(fleet, TRAIN, "unavailable_state", "the dock is closed");
    await unblockJob(fleet, TRAIN);
    expect(await fleet.job()).toMatchObject({ status: "OPEN", blocker: null, last_blocker_fingerprint: null });
    expect(verdict(await fleet.deliver())).toBe("WAKE RUNNABLE");
    expect(await unchanged(() => unblockJob(fleet, TRAIN))).toBe("UNBLOCKED");
  });
});

test("cancel: CANCELLED for good, with its reason; again it is a no-op", async () => {
  await fleet.atWork();
  expect(await cancelJob(fleet, TRAIN, "enough")).toMatchObject({ ok: true, state: "CANCELLED" });
  expect(await fleet.job()).toMatchObject({ status: "CANCELLED", lease: null, cancel_reason: "enough" });
  expect(await fleet.receipts("cancel")).toHaveLength(1);
  expect(await unchanged(() => cancelJob(fleet, TRAIN, "other"))).toBe("CANCELLED");
});

test.each(["DONE", "CANCELLED", "EXHAUSTED"])("a job that is %s changes no more", async (status) => {
  fleet.put({ status });
  for (const call of [
    () => updateJob(fleet, TRAIN, { objective: "Another." }),
    () => blockJob(fleet, TRAIN, "external_authority", "no key"),
    () => unblockJob(fleet, TRAIN),
    () => cancelJob(fleet, TRAIN, "enough"),
  ]) {
    expect(await unchanged(call)).toBe(status);
  }
});

test("no such job is NOT_FOUND, and what is no id never becomes a path: SCHEMA", async () => {
  for (const call of [
    (id: string) => updateJob(fleet, id, { objective: "Another." }),
    (id: string) => cancelJob(fleet, id, "enough"),
    (id: string) => blockJob(fleet, id, "external_authority", "no key"),
    (id: string) => unblockJob(fleet, id),
  ]) {
    expect(await call(TRAIN)).toMatchObject({ ok: false, state: "NOT_FOUND" });
    await expect(call("../../etc/passwd")).rejects.toMatchObject({ code: "SCHEMA" });
  }
});
