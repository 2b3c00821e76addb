import { isJsonObject, type Json, type JsonObject } from "../json/json.ts";
import { isSameJson } from "../json/same-json.ts";
import type { CompletionPredicate, Job } from "./job.ts";

/** Where `checkpoint_equals` looks when it names no path. */
export const DEFAULT_PREDICATE_PATH = "step";

/**
 * Whether everything but the page is there (contract §3, rule 2). `status_done` never is: only an explicit completion
 * meets it. `result_address_on_head` asks for nothing but the page.
 */
export function restOfPredicateHolds(job: Job, checkpoint: JsonObject = job.checkpoint): boolean {
  const predicate = job.completion_predicate;
  switch (predicate.type) {
    case "status_done":
      return false;
    case "checkpoint_equals":
      return checkpointEquals(predicate, checkpoint);
    case "result_address_on_head":
      return true;
  }
}

/** Whether the checkpoint has reached the predicate's value. What is absent equals nothing (contract §2). */
export function checkpointEquals(predicate: CompletionPredicate, checkpoint: JsonObject): boolean {
  if (predicate.type !== "checkpoint_equals") return false;
  const found = valueAtPath(checkpoint, predicate.path ?? DEFAULT_PREDICATE_PATH);
  return found !== undefined && isSameJson(found, predicate.value);
}

/** Follows own keys only, so `constructor.name` finds nothing that the harness did not put there. */
function valueAtPath(checkpoint: JsonObject, path: string): Json | undefined {
  let value: Json | undefined = checkpoint;
  for (const key of path.split(".")) {
    if (value === undefined || !isJsonObject(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}
