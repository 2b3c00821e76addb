import { JobError } from "../../errors/job-error.ts";
import { type Json, type JsonObject, numberText } from "../../json/json.ts";
import { plainNumber } from "../../json/number-value.ts";
import type { Job } from "../job.ts";
import { checkpointEquals, DEFAULT_PREDICATE_PATH } from "../predicate.ts";

/**
 * The checkpoint of a finish that gives none: the woken one with `step` raised by one (absent counts as 0), unless it
 * already satisfies `checkpoint_equals` on `step`. Throws JobError SCHEMA where `step` is not an integer.
 */
export function nextCheckpoint({ checkpoint, completion_predicate: predicate }: Job): JsonObject {
  const isOnStep = predicate.type === "checkpoint_equals" && (predicate.path ?? DEFAULT_PREDICATE_PATH) === "step";
  if (isOnStep && checkpointEquals(predicate, checkpoint)) return checkpoint;
  const step = Object.hasOwn(checkpoint, "step") ? checkpoint["step"] : 0;
  const value = plainNumber(numberText(step) ?? "");
  const isInteger = numberText(step) !== undefined && (typeof value === "bigint" || Number.isSafeInteger(value));
  if (!isInteger) {
    const found = JSON.stringify(step);
    throw new JobError("SCHEMA", `checkpoint.step is ${found}, not an integer that could be raised; give the whole checkpoint`, {
      field: "checkpoint.step",
    });
  }
  const raised = BigInt(value) + 1n;
  return { ...checkpoint, step: raised <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(raised) : JSON.rawJSON(`${raised}`) };
}

/** The step that an attempt works on: what the checkpoint's `step` becomes when it finishes; null where it is no integer. */
export function stepToDo(job: Job): Json {
  try {
    return nextCheckpoint(job)["step"] ?? null;
  } catch (error) {
    if (error instanceof JobError) return null;
    throw error;
  }
}
