import { isJsonObject } from "../../json/json.ts";
import { type Job, STATUSES } from "../job.ts";
import { ATTEMPTS_MAX, SECONDS_MAX } from "../limits.ts";
import { HARNESS, JOB_ID, OBJECTIVE, OWNER_CLAIM, RESULT_ADDRESS, SHA256, SHORT_FINGERPRINT } from "../patterns.ts";
import { parseTime } from "../time.ts";

/**
 * Accepts, in a tenth of the schema's time, the documents that nearly all job files are. Whatever it turns down the
 * schema decides, so it may be narrower than the schema and must never be wider: a property test holds the two together.
 * Spelled out field by field because a loop over a table of checks costs three times as much.
 */
export function isPlainlyAJob(job: Readonly<Record<string, unknown>>): boolean {
  return (
    isMatch(JOB_ID, job["job_id"]) &&
    isMatch(OWNER_CLAIM, job["owner_claim"]) &&
    isMatch(HARNESS, job["harness"]) &&
    isMatch(OBJECTIVE, job["objective"]) &&
    isMatch(RESULT_ADDRESS, job["result_address"]) &&
    isJsonObject(job["checkpoint"]) &&
    isSimplePredicate(job["completion_predicate"]) &&
    isTime(job["next_wake_at"]) &&
    isTime(job["deadline"]) &&
    isInteger(job["backoff_seconds"], 1, SECONDS_MAX) &&
    isInteger(job["max_backoff_seconds"], 1, SECONDS_MAX) &&
    isInteger(job["lease_seconds"], 1, SECONDS_MAX) &&
    isInteger(job["max_attempts"], 1, ATTEMPTS_MAX) &&
    isInteger(job["attempt_count"], 0, Number.MAX_SAFE_INTEGER) &&
    isInteger(job["budget_tokens"], 1, Number.MAX_SAFE_INTEGER) &&
    isInteger(job["tokens_used"], 0, Number.MAX_SAFE_INTEGER) &&
    isInteger(job["no_progress_count"], 0, Number.MAX_SAFE_INTEGER) &&
    isInteger(job["unclaimed_count"] ?? 0, 0, Number.MAX_SAFE_INTEGER) &&
    job["unclaimed_count"] !== null &&
    STATUSES.includes(job["status"] as Job["status"]) &&
    typeof job["woke_once"] === "boolean" &&
    typeof job["in_backoff"] === "boolean" &&
    isAbsentOrLease(job["lease"]) &&
    isAbsent(job["blocker"]) &&
    Array.isArray(job["event_receipts"]) &&
    job["event_receipts"].every(isReceipt) &&
    isAbsentOrTime(job["last_wake_at"]) &&
    isAbsentOrTime(job["created_at"]) &&
    isAbsentOrTime(job["updated_at"]) &&
    isAbsentOrTime(job["completed_at"]) &&
    isAbsentOrMatch(SHORT_FINGERPRINT, job["last_wake_checkpoint_fp"]) &&
    isAbsentOrMatch(SHA256, job["last_wake_checkpoint_sha256"]) &&
    isAbsentOrText(job["last_blocker_fingerprint"]) &&
    isAbsentOrText(job["cancel_reason"]) &&
    isAbsentOrText(job["exhausted_reason"])
  );
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

function isMatch(pattern: RegExp, value: unknown): boolean {
  return typeof value === "string" && pattern.test(value);
}

function isAbsentOrMatch(pattern: RegExp, value: unknown): boolean {
  return isAbsent(value) || isMatch(pattern, value);
}

function isAbsentOrText(value: unknown): boolean {
  return isAbsent(value) || typeof value === "string";
}

function isTime(value: unknown): boolean {
  return typeof value === "string" && parseTime(value) !== undefined;
}

function isAbsentOrTime(value: unknown): boolean {
  return isAbsent(value) || isTime(value);
}

function isInteger(value: unknown, least: number, most: number): boolean {
  return typeof value === "number" && Number.isInteger(value) && value >= least && value <= most;
}

function isSimplePredicate(value: unknown): boolean {
  return isJsonObject(value) && (value["type"] === "status_done" || value["type"] === "result_address_on_head");
}

function isAbsentOrLease(value: unknown): boolean {
  if (isAbsent(value)) return true;
  return (
    isJsonObject(value) && typeof value["lease_id"] === "string" && typeof value["holder"] === "string" && isTime(value["until"])
  );
}

function isReceipt(value: unknown): boolean {
  return (
    isJsonObject(value) && typeof value["attempt_id"] === "string" && typeof value["event"] === "string" && isTime(value["ts"])
  );
}
