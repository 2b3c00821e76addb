import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { requireJob } from "../../src/job/file/parse-job.ts";
import type { Job } from "../../src/job/job.ts";
import { isJobId } from "../../src/job/job-id.ts";
import type { Receipt } from "../../src/job/receipt.ts";
import type { JsonObject } from "../../src/json/json.ts";
import { formatMail, MAIL_BYTES_MAX, mailFor, parseMail, type WakeMail } from "../../src/mail/wake-mail.ts";
import { letterFor } from "../../src/wake/outbox.ts";
import { fuzzRuns } from "../support/fuzz-runs.ts";
import { wakeMail } from "../support/wake-letter.ts";

const ID = "mailed-job-1";

function wake(fields: JsonObject = {}): JsonObject {
  return {
    attempt_id: `${ID}-a01`,
    event: "wake",
    ts: "2026-11-30T11:45:00Z",
    lease_id: "lease-secret",
    mail: "owed",
    ...fields,
  };
}

function leasedJob(fields: JsonObject = {}): Job {
  return requireJob(
    {
      job_id: ID,
      owner_claim: "OWNER",
      harness: "script",
      objective: "objective-secret",
      checkpoint: { step: "checkpoint-secret" },
      next_wake_at: "2026-11-30T11:45:00Z",
      deadline: "2026-12-30T00:00:00Z",
      status: "LEASED",
      attempt_count: 1,
      lease: { lease_id: "lease-secret", holder: "ticker", until: "2026-11-30T12:00:00Z" },
      event_receipts: [wake()],
      ...fields,
    },
    "test",
  );
}

function requireMail(job: Job): WakeMail {
  const mail = mailFor(job);
  if (mail === undefined) throw new Error("there is no mail");
  return mail;
}

const idText = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{6,78}[A-Za-z0-9_-]$/).filter(isJobId);
const secretText = fc.stringMatching(/^secret-[a-z]{12}$/);

/** Any job that has just been offered, with texts of its own to look for. */
const offeredJob = fc
  .record({
    job_id: idText,
    owner_claim: fc.stringMatching(/^[A-Z][A-Z0-9_]{1,31}$/),
    harness: fc.stringMatching(/^[ -~]{1,200}$/),
    number: fc.integer({ min: 1, max: 1_000_000 }),
    objective: secretText,
    lease_id: secretText,
    checkpoint: secretText,
    until: fc.oneof(
      fc.constantFrom("2026-11-30T12:00:00Z", "2026-11-30", "2026-11-30 12:00:00+02:00"),
      fc.integer({ min: 1, max: 8000 }).map((digits) => `2026-11-30T12:00:00.${"3".repeat(digits)}Z`),
    ),
  })
  .map(({ number, lease_id, checkpoint, until, ...fields }) => {
    const attempt_id = `${fields.job_id}-a${String(number).padStart(2, "0")}`;
    const job = leasedJob({
      ...fields,
      checkpoint: { [checkpoint]: checkpoint },
      lease: { lease_id, holder: "ticker", until },
      event_receipts: [wake({ attempt_id, lease_id })],
    });
    return { job, secrets: [fields.objective, lease_id, checkpoint] };
  });

describe("mailFor", () => {
  test("names the latest attempt, and its job as id", () => {
    expect(requireMail(leasedJob())).toEqual({
      from: "HARNESS_WAKE",
      to: "OWNER",
      id: ID,
      job_id: ID,
      attempt_id: `${ID}-a01`,
      harness: "script",
      body: `Attempt ${ID}-a01 is offered until 2026-11-30T12:00:00Z. Claim it before you run anything.`,
    });
  });

  test("a repeated offer of the same attempt is another mail", () => {
    const again = leasedJob({ lease: { lease_id: "lease-2", holder: "ticker", until: "2026-11-30T13:00:00Z" } });
    expect(requireMail(again).attempt_id).toBe(requireMail(leasedJob()).attempt_id);
    expect(requireMail(again).body).not.toBe(requireMail(leasedJob()).body);
  });

  test("having been sent is no precondition: a wake without a promise of mail has one too", () => {
    expect(mailFor(leasedJob({ event_receipts: [wake({ mail: null })] }))).toBeDefined();
    const sent: Receipt = { attempt_id: `${ID}-a01`, event: "deliver", ts: "2026-11-30T11:45:00Z", carrier: "MAIL" };
    expect(mailFor(leasedJob({ event_receipts: [wake(), sent] }))).toBeDefined();
  });

  test.each([
    ["never woken", { event_receipts: [], status: "OPEN" }],
    ["claimed already", { event_receipts: [wake(), wake({ event: "delivery_claim" })] }],
    ["given up by its claimant", { event_receipts: [wake(), wake({ event: "failed" })] }],
    ["DONE", { status: "DONE" }],
    ["CANCELLED", { status: "CANCELLED" }],
    ["EXHAUSTED", { status: "EXHAUSTED" }],
    ["without a lease to take over", { lease: null, status: "OPEN" }],
  ])("a job that is %s has none", (_, fields) => {
    expect(mailFor(leasedJob(fields))).toBeUndefined();
  });

  test("a wake receipt that names another job's attempt has none", () => {
    expect(mailFor(leasedJob({ event_receipts: [wake({ attempt_id: "x".repeat(9000) })] }))).toBeUndefined();
    expect(mailFor(leasedJob({ event_receipts: [wake({ attempt_id: "other-job-99-a01" })] }))).toBeUndefined();
  });

  test("is at most 4095 bytes, whatever the job", () => {
    fc.assert(
      fc.property(offeredJob, ({ job }) => {
        expect(Buffer.byteLength(formatMail(requireMail(job)))).toBeLessThanOrEqual(MAIL_BYTES_MAX);
      }),
    );
  });

  test("goes out within all of ntfy's limits, also for the longest job", () => {
    const job_id = "j".repeat(80);
    const attempt_id = `${job_id}-a1000000`;
    const job = leasedJob({ job_id, harness: '"'.repeat(200), event_receipts: [wake({ attempt_id })] });
    const { message, title, tags } = letterFor(job) ?? expect.fail("nothing is offered");
    expect(Buffer.byteLength(message)).toBeLessThanOrEqual(MAIL_BYTES_MAX);
    expect(Buffer.byteLength(title)).toBeLessThanOrEqual(1_024);
    expect(Buffer.byteLength(tags.join(","))).toBeLessThanOrEqual(512);
    const body = JSON.stringify({ topic: "t".repeat(64), message, title, tags, priority: 3 });
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(8_192);
  });

  test("carries no lease_id, no checkpoint and no objective, nor does its letter", () => {
    fc.assert(
      fc.property(offeredJob, ({ job, secrets }) => {
        const letter = JSON.stringify([letterFor(job), formatMail(requireMail(job))]);
        for (const secret of secrets) expect(letter).not.toContain(secret);
      }),
    );
  });

  test("id is job_id and is not attempt_id", () => {
    fc.assert(
      fc.property(offeredJob, ({ job }) => {
        const { id, job_id, attempt_id } = requireMail(job);
        expect(id).toBe(job.job_id);
        expect(job_id).toBe(job.job_id);
        expect(attempt_id).not.toBe(job_id);
      }),
    );
  });

  test("what is sent is read back as it was", () => {
    fc.assert(
      fc.property(offeredJob, ({ job }) => {
        const mail = requireMail(job);
        expect(parseMail(formatMail(mail))).toEqual(mail);
        expect(parseMail(mail)).toEqual(mail);
      }),
    );
  });
});

describe("parseMail trusts nothing", () => {
  const right = wakeMail(1);

  /** A mail, or undefined; and what it gives is made of plain texts that keep the contract's forms. */
  function expectHarmless(input: unknown): void {
    const mail = parseMail(input);
    if (mail === undefined) return;
    expect(Object.keys(mail).sort()).toEqual(["attempt_id", "body", "from", "harness", "id", "job_id", "to"]);
    for (const value of Object.values(mail)) expect(typeof value).toBe("string");
    expect(mail.job_id).toMatch(/^[A-Za-z0-9][A-Za-z0-9._-]{7,79}$/);
    expect(mail.id).toBe(mail.job_id);
    expect(mail.attempt_id.startsWith(`${mail.job_id}-a`)).toBe(true);
    expect(Buffer.byteLength(formatMail(mail))).toBeLessThanOrEqual(MAIL_BYTES_MAX);
  }

  test("any value at all", () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true, withBigInt: true, withDate: true }), expectHarmless),
      fuzzRuns(1000),
    );
  });

  test("any text and any JSON", () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.json(), fc.string({ unit: "binary" })), expectHarmless), fuzzRuns(1000));
  });

  const FIELDS = ["from", "to", "id", "job_id", "attempt_id", "harness", "body"] as const;

  test("the right mail with one field changed to something that it must not be", () => {
    const wrong = fc.oneof(
      fc.anything(),
      fc.string(),
      fc.constantFrom(
        "",
        "../../etc/passwd",
        "mailed-job-1\n",
        "mailed-job-1/..",
        `${"x".repeat(9000)}`,
        "mailed-job-1-a00",
        "-a01",
      ),
    );
    fc.assert(
      fc.property(fc.constantFrom(...FIELDS), wrong, (field, value) => {
        const changed = { ...right, [field]: value };
        expectHarmless(changed);
        const isFixed = field === "from" || field === "id" || field === "job_id";
        if (isFixed && value !== right[field]) expect(parseMail(changed)).toBeUndefined();
        if (typeof value !== "string") expect(parseMail(changed)).toBeUndefined();
      }),
      fuzzRuns(2000),
    );
  });

  test.each(FIELDS)("the right mail without its %s is none", (field) => {
    const { [field]: _, ...rest } = right;
    expect(parseMail(rest)).toBeUndefined();
    expect(parseMail(JSON.stringify(rest))).toBeUndefined();
  });

  test("the right mail's text with bytes changed, cut or doubled", () => {
    const text = formatMail(right);
    fc.assert(
      fc.property(fc.nat(text.length), fc.nat(text.length), fc.string({ maxLength: 4 }), (from, length, put) => {
        expectHarmless(text.slice(0, from) + put + text.slice(from + length));
      }),
      fuzzRuns(2000),
    );
  });

  test.each(["-a00", "-a1", "-a001", "-a1e1", "-a01 ", "-a99999999", "-A01", "", "-a01-a01"])(
    "an attempt that no tick mints is none: %j",
    (suffix) => {
      expect(parseMail({ ...right, attempt_id: right.job_id + suffix })).toBeUndefined();
    },
  );

  test.each(FIELDS)("a getter that throws on %s, or answers otherwise the second time, is none or is read once", (field) => {
    const throwing = Object.defineProperty({ ...right }, field, {
      get: () => {
        throw new Error("boo");
      },
    });
    expect(parseMail(throwing)).toBeUndefined();
    let reads = 0;
    const fickle = Object.defineProperty({ ...right }, field, { get: () => (reads++ === 0 ? right[field] : "changed") });
    expect(parseMail(fickle)).toEqual(right);
  });

  test("a proxy that throws at every touch is none", () => {
    const boo = (): never => {
      throw new Error("boo");
    };
    const hostile = new Proxy({}, { get: boo, has: boo, ownKeys: boo, getPrototypeOf: boo, getOwnPropertyDescriptor: boo });
    expect(parseMail(hostile)).toBeUndefined();
    const { proxy, revoke } = Proxy.revocable({ ...right }, {});
    revoke();
    expect(parseMail(proxy)).toBeUndefined();
  });

  test("a text over 4095 bytes is none, whatever it says", () => {
    const padded = (bytes: number): string => formatMail(right).padEnd(bytes, " ");
    expect(parseMail(padded(MAIL_BYTES_MAX))).toEqual(right);
    expect(parseMail(padded(MAIL_BYTES_MAX + 1))).toBeUndefined();
    expect(parseMail({ ...right, body: "x".repeat(MAIL_BYTES_MAX) })).toBeUndefined();
  });

  test("keys that a mail does not have are dropped", () => {
    expect(parseMail({ ...right, lease_id: "x", invoke_model: true })).toEqual(right);
    expect(parseMail(`{"__proto__":{"invoke_model":true},${formatMail(right).slice(1)}`)).toEqual(right);
  });
});
