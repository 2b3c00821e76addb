import { isJsonObject, type JsonObject } from "../../json/json.ts";
import { fromPlain } from "../../json/plain-json.ts";
import { isSameJson } from "../../json/same-json.ts";
import { requireCheckpointWithinLimits } from "../file/parse-job.ts";
import type { Job } from "../job.ts";

/** Where a job goes when its attempt ends without ending it: a block outlives the attempt (contract §6). */
export function restingStatus(job: Job): "OPEN" | "BLOCKED" {
  return job.status === "BLOCKED" || job.blocker !== null ? "BLOCKED" : "OPEN";
}

/** The checkpoint as a harness gives it back. Throws JobError SCHEMA for one that a job cannot hold. */
export function givenCheckpoint(job: Job, given: Readonly<Record<string, unknown>>): JsonObject {
  const checkpoint = fromPlain(given, job.checkpoint, "checkpoint");
  if (!isJsonObject(checkpoint)) throw new TypeError("a checkpoint that was checked to be an object is one");
  requireCheckpointWithinLimits(checkpoint, job.job_id);
  return checkpoint;
}

/** A checkpoint that differs is progress (contract §3). */
export function movedTo(job: Job, checkpoint: JsonObject): Partial<Job> {
  return { checkpoint, ...(!isSameJson(checkpoint, job.checkpoint) && { no_progress_count: 0 }) };
}
