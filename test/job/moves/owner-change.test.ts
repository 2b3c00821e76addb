import { describe, expect, test } from "vitest";
import { blockerOf } from "../../../src/job/blocker.ts";
import { blockedJob, unblockedJob } from "../../../src/job/moves/block.ts";
import { cancelledJob } from "../../../src/job/moves/cancel.ts";
import { createdJob } from "../../../src/job/moves/create.ts";
import { shieldedField } from "../../../src/job/moves/owner-fields.ts";
import { updatedJob } from "../../../src/job/moves/update.ts";
import type { JsonObject } from "../../../src/json/json.ts";
import { jobDocument, jobOf, TRAIN } from "../../support/job-builder.ts";
import { jobErrorOf } from "../../support/job-error-of.ts";
import { atNoon, NOON } from "../../support/noon.ts";

const KEPT = [
  "attempt_count",
  "blocker",
  "completed_at",
  "created_at",
  "event_receipts",
  "exhausted_reason",
  "in_backoff",
  "last_blocker_fingerprint",
  "last_wake_at",
  "last_wake_checkpoint_sha256",
  "lease",
  "no_progress_count",
  "result",
  "status",
  "tokens_used",
  "unclaimed_count",
  "updated_at",
  "woke_once",
];

/** 201 levels, itself the first. */
const TOO_DEEP = JSON.parse(`${'{"a":'.repeat(200)}{}${"}".repeat(200)}`) as JsonObject;

describe("create", () => {
  test("sets result_address to the job_id where none is given, next_wake_at to now, and the defaults", () => {
    const { next_wake_at: _given, ...fields } = jobDocument();
    expect(createdJob(fields, NOON, "create")).toMatchObject({
      result_address: TRAIN,
      next_wake_at: atNoon(),
      created_at: atNoon(),
      updated_at: atNoon(),
      status: "OPEN",
      attempt_count: 0,
    });
  });

  test('keeps a result_address that is given, "" too', () => {
    expect(createdJob({ ...jobDocument(), result_address: "" }, NOON, "create").result_address).toBe("");
    expect(createdJob({ ...jobDocument(), result_address: "harbor-page-0001" }, NOON, "create").result_address).toBe(
      "harbor-page-0001",
    );
  });

  test.each(KEPT)("refuses %s, which transitions write", (field) => {
    const error = jobErrorOf(() => createdJob({ ...jobDocument(), [field]: null }, NOON, "job.json"));
    expect(error).toMatchObject({ code: "SCHEMA", field });
    expect(error.message).toContain(`job.json: ${field} is written by harness-wake itself`);
  });

  test("refuses a bad id, a missing field and a checkpoint past the limits", () => {
    expect(jobErrorOf(() => createdJob({ ...jobDocument(), job_id: "../x" }, NOON, "create")).field).toBe("job_id");
    expect(jobErrorOf(() => createdJob({ job_id: TRAIN }, NOON, "create"))).toMatchObject({
      code: "SCHEMA",
      field: "owner_claim",
    });
    expect(jobErrorOf(() => createdJob({ ...jobDocument(), checkpoint: TOO_DEEP }, NOON, "create")).field).toBe("checkpoint");
  });
});

describe("update", () => {
  test("changes owner's fields and updated_at, nothing else, and keeps unknown keys", () => {
    const job = { ...jobOf(), x_note: 1 };
    expect(updatedJob(job, { objective: "Another.", max_attempts: 3 }, NOON, "update")).toEqual({
      ...job,
      objective: "Another.",
      max_attempts: 3,
      updated_at: atNoon(),
    });
  });

  test.each(KEPT)("never writes %s", (field) => {
    expect(jobErrorOf(() => updatedJob(jobOf(), { [field]: null }, NOON, "update"))).toMatchObject({ code: "SCHEMA", field });
  });

  test("budget_tokens can be lowered, never raised or removed", () => {
    const job = jobOf({ budget_tokens: 1000 });
    expect(updatedJob(job, { budget_tokens: 999 }, NOON, "update").budget_tokens).toBe(999);
    expect(updatedJob(job, { budget_tokens: 1000 }, NOON, "update").budget_tokens).toBe(1000);
    expect(jobErrorOf(() => updatedJob(job, { budget_tokens: 1001 }, NOON, "update"))).toMatchObject({
      code: "SCHEMA",
      field: "budget_tokens",
    });
    expect(jobErrorOf(() => updatedJob(job, { budget_tokens: null }, NOON, "update")).field).toBe("budget_tokens");
    const removal = { budget_tokens: undefined } as unknown as JsonObject;
    expect(jobErrorOf(() => updatedJob(job, removal, NOON, "update")).field).toBe("budget_tokens");
  });

  test("job_id is for the life of the job", () => {
    expect(jobErrorOf(() => updatedJob(jobOf(), { job_id: "harbor-other-0001" }, NOON, "update")).field).toBe("job_id");
    expect(updatedJob(jobOf(), { job_id: TRAIN }, NOON, "update").job_id).toBe(TRAIN);
  });

  test("a bad value is refused by its field", () => {
    expect(jobErrorOf(() => updatedJob(jobOf(), { deadline: "soon" }, NOON, "update"))).toMatchObject({
      code: "SCHEMA",
      field: "deadline",
    });
    expect(jobErrorOf(() => updatedJob(jobOf(), { checkpoint: TOO_DEEP }, NOON, "update")).field).toBe("checkpoint");
  });

  test.each(["checkpoint", "harness", "completion_predicate", "result_address"])("%s is shielded by a live lease", (field) => {
    expect(shieldedField({ [field]: null })).toBe(field);
  });

  test.each(["objective", "deadline", "budget_tokens", "max_attempts", "next_wake_at"])("%s is not", (field) => {
    expect(shieldedField({ [field]: null })).toBeUndefined();
  });
});

const LEASED = { status: "LEASED", lease: { lease_id: "l", holder: "h", until: atNoon(900) } } as const;

test("cancel: CANCELLED, lease null, the reason, a receipt", () => {
  const job = cancelledJob(jobOf(LEASED), "not needed", NOON);
  expect(job).toMatchObject({ status: "CANCELLED", lease: null, cancel_reason: "not needed", updated_at: atNoon() });
  expect(job.event_receipts).toEqual([{ attempt_id: `${TRAIN}-cancel`, event: "cancel", reason: "not needed", ts: atNoon() }]);
});

describe("block", () => {
  test("a blocker's fingerprint is taken over {detail, kind}", () => {
    // printf '{"detail":"d","kind":"external_authority"}' | sha256sum | cut -c1-16
    expect(blockerOf("external_authority", "d").fingerprint).toBe("e16907bbfec1098a");
    expect(blockerOf("unavailable_state", "d").fingerprint).not.toBe(blockerOf("external_authority", "d").fingerprint);
  });

  test("BLOCKED, fingerprint remembered; a live lease runs out by itself", () => {
    const blocker = blockerOf("external_authority", "needs a key");
    expect(blockedJob(jobOf(LEASED), blocker, NOON)).toMatchObject({
      status: "BLOCKED",
      lease: LEASED.lease,
      blocker,
      last_blocker_fingerprint: blocker.fingerprint,
      updated_at: atNoon(),
    });
  });

  test("unblock: blocker and fingerprint cleared, OPEN", () => {
    const blocked = blockedJob(jobOf(), blockerOf("external_authority", "needs a key"), NOON - 9);
    expect(unblockedJob(blocked, NOON)).toMatchObject({
      status: "OPEN",
      blocker: null,
      last_blocker_fingerprint: null,
      updated_at: atNoon(),
    });
  });
});
