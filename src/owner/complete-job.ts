import { JobError } from "../errors/job-error.ts";
import { type Answer, type Fleet, refusal } from "../fleet.ts";
import { isJobId } from "../job/file/schema.ts";
import { isTerminal, type Job } from "../job/job.ts";
import { record } from "../job/moves/apply-change.ts";
import { completedFields, isWeakResult } from "../job/moves/finish.ts";
import { formatTime } from "../job/time.ts";
import type { Json } from "../json/json.ts";
import { fromPlain } from "../json/plain-json.ts";
import { isSameJson } from "../json/same-json.ts";
import { ownerStep } from "./owner-step.ts";

export interface CompleteOptions {
  readonly result: unknown;
  /** Where the page stands: the job's own address, or its id where it has none. */
  readonly resultAddress: string;
}

/**
 * Declares a job done from outside an attempt (contract §6): only where the page stands at git HEAD, else NOT_DURABLE.
 * The same result again is a no-op; a job that ended otherwise keeps its end. Throws JobError SCHEMA, TRUTH_UNAVAILABLE.
 */
export async function completeJob(fleet: Fleet, jobId: string, options: CompleteOptions): Promise<Answer> {
  const address = options.resultAddress;
  if (!isJobId(address))
    throw new JobError("SCHEMA", "resultAddress must be the id of a page, formed like a job_id", { field: "resultAddress" });
  const result: Json = fromPlain(options.result, undefined, "result");
  const states = await (await fleet.pages.atHead()).states([address]);
  const ts = formatTime(fleet.clock.now());
  return ownerStep(fleet, jobId, "DONE", (job) => {
    if (job.status === "DONE" && isSameJson(job.result ?? null, result)) return "already_so";
    if (isTerminal(job.status)) {
      return { refused: refusal(job.status, jobId, `${jobId} is ${job.status}; a terminal job changes no more`) };
    }
    if (isWeakResult(result) || states.get(address) !== "durable") {
      const message = `the page of ${address} does not stand at git HEAD, or the result is no page; commit and push it first`;
      return { refused: refusal("NOT_DURABLE", jobId, message) };
    }
    const completed: Job = {
      ...job,
      ...record(job, { attempt_id: `${jobId}-complete`, event: "complete", result_address: address, ts }),
      ...completedFields({ address, result }, ts),
      updated_at: ts,
    };
    return { to: completed };
  });
}
