import { type Job, STATUSES } from "./job.ts";
import { isJsonObject } from "./json.ts";
import { ATTEMPTS_MAX, SECONDS_MAX } from "./limits.ts";
import { HARNESS, JOB_ID, OBJECTIVE, OWNER_CLAIM, RESULT_ADDRESS } from "./patterns.ts";
import { parseTime } from "./time.ts";

/**
 * Accepts, in a tenth of the schema's time, the documents that nearly all job files are. Whatever it turns down the
 * schema decides, so it may be narrower than the schema and must never be wider: a property test holds the two together.
 */
export function isPlainlyAJob(document: Readonly<Record<string, unknown>>): boolean {
  for (const field in CHECKS) {
    if (!CHECKS[field as keyof Job](document[field])) return false;
  }
  return true;
}

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === "string";
const isFlag: Check = (value) => typeof value === "boolean";
const isAbsent: Check = (value) => value === undefined || value === null;
const isTime: Check = (value) => typeof value === "string" && parseTime(value) !== undefined;

function isMatching(pattern: RegExp): Check {
  return (value) => typeof value === "string" && pattern.test(value);
}

function isInteger(least: number, most: number): Check {
  return (value) => typeof value === "number" && Number.isInteger(value) && value >= least && value <= most;
}

function isAbsentOr(check: Check): Check {
  return (value) => isAbsent(value) || check(value);
}

const isCount = isInteger(0, Number.MAX_SAFE_INTEGER);
const isSeconds = isInteger(1, SECONDS_MAX);

const isLease: Check = (value) =>
  isJsonObject(value) && isText(value["lease_id"]) && isText(value["holder"]) && isTime(value["until"]);

const isReceipt: Check = (value) =>
  isJsonObject(value) && isText(value["attempt_id"]) && isText(value["event"]) && isTime(value["ts"]);

const CHECKS = {
  job_id: isMatching(JOB_ID),
  owner_claim: isMatching(OWNER_CLAIM),
  harness: isMatching(HARNESS),
  objective: isMatching(OBJECTIVE),
  checkpoint: isJsonObject,
  next_wake_at: isTime,
  deadline: isTime,
  backoff_seconds: isSeconds,
  max_backoff_seconds: isSeconds,
  lease_seconds: isSeconds,
  max_attempts: isInteger(1, ATTEMPTS_MAX),
  attempt_count: isCount,
  budget_tokens: isInteger(1, Number.MAX_SAFE_INTEGER),
  tokens_used: isCount,
  completion_predicate: (value) =>
    isJsonObject(value) && (value["type"] === "status_done" || value["type"] === "result_address_on_head"),
  result_address: isMatching(RESULT_ADDRESS),
  status: (value) => STATUSES.includes(value as Job["status"]),
  lease: isAbsentOr(isLease),
  blocker: isAbsent,
  event_receipts: (value) => Array.isArray(value) && value.every(isReceipt),
  woke_once: isFlag,
  in_backoff: isFlag,
  no_progress_count: isCount,
  unclaimed_count: (value) => value === undefined || isCount(value),
  last_wake_at: isAbsentOr(isTime),
  last_wake_checkpoint_fp: isAbsentOr(isMatching(/^[0-9a-f]{16}$/)),
  last_wake_checkpoint_sha256: isAbsentOr(isMatching(/^[0-9a-f]{64}$/)),
  last_blocker_fingerprint: isAbsentOr(isText),
  created_at: isAbsentOr(isTime),
  updated_at: isAbsentOr(isTime),
  completed_at: isAbsentOr(isTime),
  cancel_reason: isAbsentOr(isText),
  exhausted_reason: isAbsentOr(isText),
  result: () => true,
} as const satisfies Record<keyof Job, Check>;
