import * as z from "zod/mini";
import { JobError } from "../../errors/job-error.ts";
import { isJsonObject, type JsonObject } from "../../json/json.ts";
import { BLOCKER_KINDS, STATUSES } from "../job.ts";
import { ATTEMPTS_MAX, SECONDS_MAX } from "../limits.ts";
import { HARNESS, JOB_ID, OBJECTIVE, OWNER_CLAIM, RESULT_ADDRESS, SHA256, SHORT_FINGERPRINT } from "../patterns.ts";
import { parseTime } from "../time.ts";

/** Whether the text may name a job, a file or a page. Checked before it ever becomes a path (contract §9). */
export function isJobId(text: string): boolean {
  return JOB_ID.test(text);
}

/** Throws JobError SCHEMA for a text that may not name a job. */
export function requireJobId(text: string): void {
  if (isJobId(text)) return;
  const shown = JSON.stringify(text.slice(0, 100));
  throw new JobError("SCHEMA", `${shown} is not a job id: ${JOB_ID_RULE}`, { field: "job_id" });
}

const JOB_ID_RULE = "8 to 80 letters, digits, dots, dashes or underscores, starting with a letter or digit";

// Without this, zod would probe for a compiler.
z.config({ jitless: true });

/**
 * What a job file must be (contract §2). A check and never a transformation: zod would reorder keys and drop `__proto__`, so
 * callers keep the object they parsed. Every message says what the field must be; the parser adds where and what it found.
 */
function buildJobSchema() {
  const text = z.string("must be text");
  const flag = z.boolean("must be true or false");
  const object = z.custom<Record<string, unknown>>(isJsonObject, "must be an object");

  function matching(pattern: RegExp, rule: string) {
    return z.string(rule).check(z.regex(pattern, rule));
  }

  function integer(least: number, most: number) {
    const rule = `must be a whole number from ${least} to ${most}`;
    return z.number(rule).check(z.int(rule), z.gte(least, rule), z.lte(most, rule));
  }

  const TIME_RULE = "must be a time that exists, like 2026-11-30T12:00:00Z";
  const time = z.string(TIME_RULE).check(z.refine((value) => parseTime(value) !== undefined, TIME_RULE));

  const jobId = matching(JOB_ID, `must be ${JOB_ID_RULE}`);
  const count = integer(0, Number.MAX_SAFE_INTEGER);
  const seconds = integer(1, SECONDS_MAX);

  function absentOr<T extends z.ZodMiniType>(schema: T) {
    return z.optional(z.nullable(schema));
  }

  const lease = z.looseObject({ lease_id: text, holder: text, until: time }, "must be an object or null");

  const blocker = z.looseObject(
    {
      kind: z.enum(BLOCKER_KINDS, `must be ${BLOCKER_KINDS.join(" or ")}`),
      detail: text,
      fingerprint: text,
    },
    "must be an object or null",
  );

  const PREDICATE_RULE = "must be status_done, checkpoint_equals or result_address_on_head";
  const completionPredicate = z.discriminatedUnion(
    "type",
    [
      z.looseObject({ type: z.literal("status_done") }),
      z.looseObject({
        type: z.literal("checkpoint_equals"),
        path: z.optional(matching(/^[^.]+(?:\.[^.]+)*$/, "must be a dotted path into the checkpoint, like build.phase")),
        value: z.custom((value) => value !== undefined, "must be given: the value that the checkpoint has to reach"),
      }),
      z.looseObject({ type: z.literal("result_address_on_head") }),
    ],
    PREDICATE_RULE,
  );

  const receipt = z.looseObject({ attempt_id: text, event: text, ts: time }, "must be an object");

  return z.looseObject(
    {
      job_id: jobId,
      owner_claim: matching(OWNER_CLAIM, "must be 2 to 32 capitals, digits or underscores, and start with a capital"),
      harness: matching(HARNESS, "must be one line of 1 to 200 printable ASCII characters"),
      objective: matching(OBJECTIVE, "must be one line of 1 to 1000 characters"),
      checkpoint: z.optional(object),
      next_wake_at: time,
      deadline: time,
      backoff_seconds: z.optional(seconds),
      max_backoff_seconds: z.optional(seconds),
      lease_seconds: z.optional(seconds),
      max_attempts: z.optional(integer(1, ATTEMPTS_MAX)),
      attempt_count: z.optional(count),
      budget_tokens: z.optional(integer(1, Number.MAX_SAFE_INTEGER)),
      tokens_used: z.optional(count),
      completion_predicate: z.optional(completionPredicate),
      result_address: z.optional(matching(RESULT_ADDRESS, 'must be "" or the id of a page, formed like a job_id')),
      status: z.optional(z.enum(STATUSES, `must be one of ${STATUSES.join(", ")}`)),
      lease: absentOr(lease),
      blocker: absentOr(blocker),
      event_receipts: z.optional(z.array(receipt, "must be an array of receipts")),
      woke_once: z.optional(flag),
      in_backoff: z.optional(flag),
      no_progress_count: z.optional(count),
      unclaimed_count: z.optional(count),
      last_wake_at: absentOr(time),
      last_wake_checkpoint_fp: absentOr(matching(SHORT_FINGERPRINT, "must be 16 hex digits")),
      last_wake_checkpoint_sha256: absentOr(matching(SHA256, "must be 64 hex digits")),
      last_blocker_fingerprint: absentOr(text),
      created_at: absentOr(time),
      updated_at: absentOr(time),
      completed_at: absentOr(time),
      cancel_reason: absentOr(text),
      exhausted_reason: absentOr(text),
    },
    "must be an object",
  );
}

/** Built for the first document that needs it: most ticks meet none, and building it is felt in their start. */
let jobSchema: ReturnType<typeof buildJobSchema> | undefined;

export interface Fault {
  /** Dotted path to the field. */
  readonly field: string;
  readonly path: readonly PropertyKey[];
  readonly rule: string;
}

/** The first rule of contract §2 that the parsed document breaks, or undefined when it is a job. */
export function findFault(document: JsonObject): Fault | undefined {
  jobSchema ??= buildJobSchema();
  const { error } = jobSchema.safeParse(document);
  const issue = error?.issues[0];
  if (issue === undefined) return undefined;
  return { field: issue.path.map(String).join("."), path: issue.path, rule: issue.message };
}
