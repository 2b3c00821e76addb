import { type Applied, type Refused, refusal } from "../answer.ts";
import { JobError } from "../errors/job-error.ts";
import type { Fleet } from "../fleet.ts";
import { isTerminal, type TerminalStatus } from "../job/job.ts";
import { isJobId } from "../job/job-id.ts";
import { completedJob } from "../job/moves/complete.ts";
import { isWeakResult } from "../job/moves/weak-result.ts";
import type { Json } from "../json/json.ts";
import { fromPlain } from "../json/plain-json.ts";
import { isSameJson } from "../json/same-json.ts";
import { decideAsOwner } from "./decide-as-owner.ts";

export interface CompleteOptions {
  readonly result: unknown;
  /** Where the page stands: the job's own address, or its id where it has none. */
  readonly resultAddress: string;
}

export type CompleteAnswer = Applied<"DONE"> | Refused<TerminalStatus | "NOT_DURABLE" | "NOT_FOUND">;

/**
 * Declares a job done from outside an attempt (contract §6): only where the page stands at git HEAD, else NOT_DURABLE.
 * The same result again is a no-op; a job that ended otherwise keeps its end. Throws JobError SCHEMA, TRUTH_UNAVAILABLE.
 */
export async function completeJob(fleet: Fleet, jobId: string, options: CompleteOptions): Promise<CompleteAnswer> {
  const address = options.resultAddress;
  if (!isJobId(address))
    throw new JobError("SCHEMA", "resultAddress must be the id of a page, formed like a job_id", { field: "resultAddress" });
  const result: Json = fromPlain(options.result, undefined, "result");
  return decideAsOwner<"DONE", TerminalStatus | "NOT_DURABLE">(fleet, jobId, "DONE", (job, pages) => {
    if (job.status === "DONE" && isSameJson(job.result ?? null, result)) return "already_so";
    if (isTerminal(job.status)) {
      return { refused: refusal(job.status, jobId, `${jobId} is ${job.status}; a terminal job changes no more`) };
    }
    if (isWeakResult(result))
      return { refused: refusal("NOT_DURABLE", jobId, "a result that only says that something was handed over is no page") };
    const page = pages.get(address);
    switch (page) {
      case undefined:
        return { askPage: address };
      case "unknown": {
        const message = `${jobId}: git cannot say whether the page of ${address} stands. Nothing was changed; try again`;
        throw new JobError("TRUTH_UNAVAILABLE", message);
      }
      case "absent": {
        const message = `the page of ${address} does not stand at git HEAD; commit and push it first`;
        return { refused: refusal("NOT_DURABLE", jobId, message) };
      }
      case "durable":
        return { to: completedJob(job, address, result, fleet.clock.now()) };
    }
  });
}
