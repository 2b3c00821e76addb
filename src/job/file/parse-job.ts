import { JobError } from "../../errors/job-error.ts";
import { isDeeperThan, isJsonObject, isRawNumber, type Json, type JsonObject, numberText } from "../../json/json.ts";
import { parseLossless } from "../../json/lossless-json.ts";
import { parseJson } from "../../json/parse-json.ts";
import { describeRepeatedKey, findRepeatedKey } from "../../json/repeated-key.ts";
import { surveyJson } from "../../json/survey-json.ts";
import { blockerOf } from "../blocker.ts";
import { fieldsOfKind, JOB_DEFAULTS } from "../fields.ts";
import { BLOCKER_KINDS, type Job } from "../job.ts";
import { CHECKPOINT_BYTES_MAX, CHECKPOINT_DEPTH_MAX, JOB_DEPTH_MAX } from "../limits.ts";
import { isPlainlyAJob } from "./quick-check.ts";
import { findFault } from "./schema.ts";

const INTEGER_FIELDS = fieldsOfKind("integer", "seconds");

/** What a file may leave out, and what that means. */
const DEFAULTS = Object.entries(JOB_DEFAULTS).map(([field, usual]) => ({ field, usual }));

/** Files of the Python original write 0 for "the usual" (contract §2). */
const SECONDS_FIELDS = fieldsOfKind("seconds");

/**
 * Reads the text of a job file as the job `jobId`, defaults filled in (contract §2). `file` is how messages name it.
 * Throws JobError: CORRUPT for what is not the JSON of this job, SCHEMA for a field that breaks a rule.
 */
export function parseJob(text: string, jobId: string, file: string): Job {
  const mayBeDeep = mayNestDeeperThan(text, CHECKPOINT_DEPTH_MAX);
  const document = parseDocument(text, file, mayBeDeep);
  const job = requireJob(document, file);
  if (job.job_id !== jobId) {
    throw new JobError(
      "CORRUPT",
      `${file}: job_id inside is "${job.job_id}"; it must equal the file's name. Rename the file or mend the id`,
      {
        file,
        field: "job_id",
      },
    );
  }
  // A character of the text takes up to three bytes of the file.
  if (mayBeDeep || text.length * 3 > CHECKPOINT_BYTES_MAX) requireCheckpointWithinLimits(job.checkpoint, file);
  return job;
}

/**
 * Checks a document, which then becomes the job: the one place where unchecked JSON turns into a Job. What it leaves out is
 * filled in in place, since copying every job is felt in a tick. Throws JobError SCHEMA.
 */
export function requireJob(document: JsonObject, file: string): Job {
  const job: { [field: string]: unknown } = requireChecked(document, file);
  for (const { field, usual } of DEFAULTS) if (job[field] === undefined) job[field] = usual;
  return job as unknown as Job;
}

/** The document, or a copy of it where it says what it means in older words. Throws JobError SCHEMA. */
function requireChecked(document: JsonObject, file: string): JsonObject {
  return isPlainlyAJob(document) ? document : requireByTheSchema(document, file);
}

function requireByTheSchema(document: JsonObject, file: string): JsonObject {
  const plain = withBlockerFingerprint(withUsualSeconds(withPlainIntegers(document)));
  const fault = findFault(plain);
  if (fault === undefined) return plain;
  const found = describe(valueAt(document, fault.path));
  throw schemaError(file, fault.field, `${fault.field} is ${found}; it ${fault.rule}`);
}

/**
 * Refuses a job that could not be read back from its file: nobody could tick or end it any more. Whoever brought the value
 * at fault is told instead. Throws JobError SCHEMA.
 */
export function requireReadable(document: JsonObject, file: string): void {
  if (isDeeperThan(document, JOB_DEPTH_MAX)) throw tooDeep(document, file);
  requireChecked(document, file);
}

/** A job as the document that its file holds: what {@link requireJob} checked, keys unknown to this version included. */
export function asDocument(job: Job): JsonObject {
  return job as unknown as JsonObject;
}

/** Throws JobError SCHEMA for a checkpoint over 200 levels or 1 MiB (contract §2). Costs a walk over it. */
export function requireCheckpointWithinLimits(checkpoint: JsonObject, file: string): void {
  if (isDeeperThan(checkpoint, CHECKPOINT_DEPTH_MAX)) {
    throw schemaError(file, "checkpoint", `checkpoint nests deeper than ${CHECKPOINT_DEPTH_MAX} levels; flatten it`);
  }
  const bytes = Buffer.byteLength(JSON.stringify(checkpoint));
  if (bytes > CHECKPOINT_BYTES_MAX) {
    throw schemaError(
      file,
      "checkpoint",
      `checkpoint is ${bytes} bytes; at most ${CHECKPOINT_BYTES_MAX} fit. Keep bulk data in files of its own`,
    );
  }
}

function schemaError(file: string, field: string, what: string): JobError {
  return new JobError("SCHEMA", `${file}: ${what}`, { file, field });
}

function parseDocument(text: string, file: string, mayBeDeep: boolean): JsonObject {
  const body = text.startsWith("\uFEFF") ? text.slice(1) : text;
  let plain: Json;
  try {
    plain = parseJson(body);
  } catch (cause) {
    throw new JobError("CORRUPT", `${file}: ${whyNotJson(body, cause)}`, { file, cause });
  }
  if (!isJsonObject(plain)) {
    throw new JobError("CORRUPT", `${file}: holds ${describe(plain)}; a job file holds one JSON object`, { file });
  }
  if (mayBeDeep && isDeeperThan(plain, JOB_DEPTH_MAX)) throw tooDeep(plain, file);
  const survey = surveyJson(body, plain);
  if (survey.mayRepeatKey) refuseRepeatedField(body, file);
  const document = survey.mayHoldFragileNumber ? parseLossless(body) : plain;
  return isJsonObject(document) ? document : plain;
}

/** As after a merge that kept both sides' lines. A checkpoint is the harness's own (contract §2). */
function refuseRepeatedField(body: string, file: string): void {
  const repeated = findRepeatedKey(body, "checkpoint");
  if (repeated === undefined) return;
  throw new JobError("CORRUPT", `${file}: ${describeRepeatedKey(repeated)}; keep the right one and remove the other`, {
    file,
    field: repeated.path.join("."),
  });
}

function tooDeep(document: JsonObject, file: string): JobError {
  const isCheckpoint = isDeeperThan(document["checkpoint"], CHECKPOINT_DEPTH_MAX);
  const [field, limit] = isCheckpoint ? ["checkpoint", CHECKPOINT_DEPTH_MAX] : ["the file", JOB_DEPTH_MAX];
  return schemaError(file, field, `${field} nests deeper than ${limit} levels; flatten it`);
}

/** Whether the text opens more arrays and objects than that: cheaper to count than to walk, and rarely true. */
function mayNestDeeperThan(text: string, limit: number): boolean {
  let opened = 0;
  for (const opener of ["{", "["]) {
    for (let at = text.indexOf(opener); at !== -1; at = text.indexOf(opener, at + 1)) {
      if (++opened > limit) return true;
    }
  }
  return false;
}

const CONFLICT_MARKER = /^(?:<{7}|={7}|>{7})(?: |$)/m;

function whyNotJson(body: string, cause: unknown): string {
  if (body === "") return "is empty; restore it from git or remove it";
  if (body.includes("\0")) return "holds NUL bytes, as after a crash of the machine; restore it from git";
  const marker = CONFLICT_MARKER.exec(body);
  if (marker !== null) {
    return `line ${lineOf(body, marker.index)} is a git conflict marker; resolve the merge and commit the file`;
  }
  return `is not JSON: ${cause instanceof Error ? cause.message : String(cause)}`;
}

function lineOf(body: string, index: number): number {
  return body.slice(0, index).split("\n").length;
}

/** Our own integer fields count by value, so `1e5` is a budget like 100000; everything else keeps its text. */
function withPlainIntegers(document: JsonObject): JsonObject {
  const fragile = INTEGER_FIELDS.filter((field) => isRawNumber(document[field]));
  return { ...document, ...Object.fromEntries(fragile.map((field) => [field, Number(numberText(document[field]))])) };
}

function withUsualSeconds(document: JsonObject): JsonObject {
  const left = SECONDS_FIELDS.filter((field) => document[field] === 0);
  return left.length === 0
    ? document
    : Object.fromEntries(Object.entries(document).filter(([key]) => !left.some((field) => field === key)));
}

/** A blocker that a hand wrote without its fingerprint gets it computed (contract §2). */
function withBlockerFingerprint(document: JsonObject): JsonObject {
  const blocker = document["blocker"];
  if (!isJsonObject(blocker) || blocker["fingerprint"] !== undefined) return document;
  const { kind, detail } = blocker;
  const known = BLOCKER_KINDS.find((candidate) => candidate === kind);
  if (known === undefined || typeof detail !== "string") return document;
  return { ...document, blocker: { ...blocker, fingerprint: blockerOf(known, detail).fingerprint } };
}

function valueAt(document: JsonObject, path: readonly PropertyKey[]): unknown {
  let value: unknown = document;
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}

const DESCRIPTION_CHARACTERS_MAX = 80;

/** A value as an error names it: short, on one line. */
function describe(value: unknown): string {
  if (value === undefined) return "missing";
  const text = JSON.stringify(value);
  return text.length <= DESCRIPTION_CHARACTERS_MAX ? text : `${text.slice(0, DESCRIPTION_CHARACTERS_MAX)}…`;
}
