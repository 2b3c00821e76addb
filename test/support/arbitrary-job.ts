import fc from "fast-check";
import { blockerOf } from "../../src/job/blocker.ts";
import { requireJob } from "../../src/job/file/parse-job.ts";
import { BLOCKER_KINDS, type Job, STATUSES } from "../../src/job/job.ts";
import { formatTime } from "../../src/job/time.ts";
import { sha256Of, shortFingerprint } from "../../src/json/fingerprint.ts";
import type { JsonObject } from "../../src/json/json.ts";
import { parseLossless } from "../../src/json/lossless-json.ts";
import { arbitraryNumberText } from "./arbitrary-number-text.ts";
import { TRAIN } from "./job-builder.ts";
import { NOON } from "./noon.ts";

/** Seconds from noon, often right at it or at the 60 s of rule 6, sometimes centuries away. */
const secondsFromNoon = fc.oneof(
  fc.constantFrom(-900, -61, -60, -59, -1, 0, 1, 59, 60, 900),
  fc.integer({ min: -200_000, max: 200_000 }),
  fc.integer({ min: -60_000_000_000, max: 240_000_000_000 }),
);

/** A time in any spelling that a file may hold. */
export const arbitraryTime: fc.Arbitrary<string> = fc
  .tuple(secondsFromNoon, fc.constantFrom("Z", "z", ".75Z", "+00:00", "+05:30", "-08:00", ""))
  .map(([seconds, zone]) => {
    const offset = zone === "+05:30" ? 19_800 : zone === "-08:00" ? -28_800 : 0;
    return formatTime(NOON + seconds + offset).slice(0, 19) + zone;
  });

const count = fc.oneof(fc.nat(3), fc.nat(20), fc.constantFrom(1000, 1_000_000));

const value = fc.oneof(
  arbitraryNumberText,
  fc.json({ maxDepth: 2 }),
  fc.constantFrom("null", '"text"', "[1.0]", '{"__proto__":{"x":1e400}}', '{"constructor":1,"10":2,"9":3.50}'),
);

/** A checkpoint, often one of a few, so that it is the woken one often enough. */
const checkpoint: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.constantFrom('{"step":0}', '{"step":1}', '{"step":1.0}', "{}").map(parsed),
  fc.tuple(fc.string(), value).map(([key, json]) => parsed(`{${JSON.stringify(key)}:${json},"step":0}`)),
);

function parsed(text: string): JsonObject {
  return parseLossless(text) as JsonObject;
}

const lease = fc.record({
  lease_id: fc.constantFrom("lease-1", "lease-2", ""),
  holder: fc.constantFrom("gh-watchdog", "harness", ""),
  until: arbitraryTime,
});

const attempt = fc.constantFrom("-a01", "-a02", "-a03", "-hold").map((suffix) => TRAIN + suffix);

const receipt = fc.oneof(
  fc.record(
    {
      attempt_id: attempt,
      event: fc.constant("wake"),
      ts: arbitraryTime,
      lease_id: fc.constantFrom("lease-1", "lease-2"),
      mail: fc.constantFrom("owed", "no"),
    },
    { requiredKeys: ["attempt_id", "event", "ts"] },
  ),
  fc.record({
    attempt_id: attempt,
    event: fc.constant("deliver"),
    ts: arbitraryTime,
    carrier: fc.constantFrom("MAIL", "FAILED"),
  }),
  fc.record({ attempt_id: attempt, event: fc.constantFrom("delivery_claim", "checkpoint", "ack", "failed"), ts: arbitraryTime }),
  fc.record({
    attempt_id: attempt,
    event: fc.constant("cursor_quota_hold"),
    ts: arbitraryTime,
    carrier: fc.constant("CURSOR_QUOTA_HOLD"),
  }),
  fc.record({ attempt_id: fc.string(), event: fc.string(), ts: arbitraryTime, n: value.map((json) => parsed(`[${json}]`)) }),
);

const blocker = fc
  .tuple(fc.constantFrom(...BLOCKER_KINDS), fc.constantFrom("no key", "no network"))
  .map(([kind, detail]) => blockerOf(kind, detail));

const predicate = fc.oneof(
  fc.constant({ type: "status_done" }),
  fc.constant({ type: "result_address_on_head" }),
  fc.record(
    {
      type: fc.constant("checkpoint_equals"),
      path: fc.constantFrom("step", "build.phase", "__proto__.x"),
      value: fc.constantFrom(0, 1, null),
    },
    { requiredKeys: ["type", "value"] },
  ),
);

const unknownKeys = fc.dictionary(
  fc.string({ minLength: 1, maxLength: 6 }).map((key) => `x_${key}`),
  value.map((json) => parsed(`{"v":${json}}`)),
  { maxKeys: 2 },
);

/** What a job was last woken with: the checkpoint that it has, another, or nothing; by both fields or by the short one. */
const lastWake = fc.tuple(fc.constantFrom("same", "other", "never"), fc.boolean(), arbitraryTime);

/** Any valid job around noon: every status with every lease, blocker and history, as files in use and hostile ones mix them. */
export const arbitraryJob: fc.Arbitrary<Job> = fc
  .tuple(
    fc.record({
      harness: fc.constantFrom("claude-code", "codex", "Cursor-Agent", "GROK_BOT", "issue-1316"),
      objective: fc.constantFrom("Keep the release train moving.", "\u{1f6a2}"),
      checkpoint,
      next_wake_at: arbitraryTime,
      deadline: fc.oneof(arbitraryTime, fc.constantFrom("2026-12-31", "9999-12-31T23:59:59Z")),
      backoff_seconds: fc.constantFrom(1, 60, 3600, 31_536_000),
      max_backoff_seconds: fc.constantFrom(1, 3600, 31_536_000),
      lease_seconds: fc.constantFrom(1, 900, 31_536_000),
      max_attempts: fc.constantFrom(1, 2, 8, 1_000_000),
      attempt_count: count,
      budget_tokens: fc.constantFrom(1, 1000, 100_000, Number.MAX_SAFE_INTEGER),
      tokens_used: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, count),
      completion_predicate: predicate,
      result_address: fc.constantFrom("", TRAIN, "harbor-page-0001"),
      status: fc.oneof({ weight: 3, arbitrary: fc.constantFrom("OPEN", "LEASED") }, fc.constantFrom(...STATUSES)),
      lease: fc.option(lease),
      blocker: fc.option(blocker),
      event_receipts: fc.array(receipt, { maxLength: 5 }),
      woke_once: fc.boolean(),
      in_backoff: fc.boolean(),
      no_progress_count: count,
      unclaimed_count: count,
      last_blocker_fingerprint: fc.option(blocker.map(({ fingerprint }) => fingerprint)),
    }),
    lastWake,
    fc.boolean(),
    unknownKeys,
  )
  .map(([fields, [woken, isShort, at], isBlockerFree, unknown]) => {
    const sha256 = sha256Of(woken === "same" ? fields.checkpoint : { other: true });
    const wake =
      woken === "never"
        ? {}
        : {
            last_wake_at: at,
            last_wake_checkpoint_fp: shortFingerprint(sha256),
            ...(!isShort && { last_wake_checkpoint_sha256: sha256 }),
          };
    const document = {
      job_id: TRAIN,
      owner_claim: "HARBOR",
      ...fields,
      ...wake,
      ...(isBlockerFree && { blocker: null }),
      ...unknown,
    };
    return requireJob(document as unknown as JsonObject, "arbitrary");
  });
