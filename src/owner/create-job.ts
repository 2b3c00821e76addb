import { type Applied, applied, type Refused, refusal } from "../answer.ts";
import { type Decided, decideOne, type Fleet } from "../fleet.ts";
import type { Job } from "../job/job.ts";
import { createdJob } from "../job/moves/create.ts";
import type { JsonObject } from "../json/json.ts";
import { fieldsAsJson, type NewJobFields } from "./owner-fields.ts";
import { pageExists } from "./page-exists.ts";

export interface CreateOptions {
  /** Take an address whose page already stands: the first tick may then find the job DONE. */
  readonly allowExistingPage?: boolean;
  /** How messages name the fields: a file, or the command line. */
  readonly source?: string;
}

export interface Created extends Applied<"CREATED"> {
  readonly job: Job;
}

export type CreateAnswer = Created | Refused<"EXISTS" | "PAGE_EXISTS">;

/**
 * Adds a job from the owner's fields of contract §2. Refuses EXISTS for an id that is there, also in another case, and
 * PAGE_EXISTS for an address whose page already stands. Throws JobError SCHEMA, and TRUTH_UNAVAILABLE where git cannot
 * say whether the page stands.
 */
export async function createJob(fleet: Fleet, fields: NewJobFields, options: CreateOptions = {}): Promise<CreateAnswer> {
  return createJobFrom(fleet, fieldsAsJson(fields, undefined, options.source ?? "new job"), options);
}

/** {@link createJob} for fields that were read from JSON, with numbers as they stood there. */
export async function createJobFrom(fleet: Fleet, fields: JsonObject, options: CreateOptions = {}): Promise<CreateAnswer> {
  const { source = "new job", allowExistingPage = false } = options;
  const job = createdJob(fields, fleet.clock.now(), source);
  const { job_id, result_address } = job;
  return decideOne(fleet, job_id, ({ job: existing, namesake }, pages): Decided<CreateAnswer> => {
    const taken = existing?.job_id ?? namesake;
    if (taken !== undefined) {
      const message = `there is a job ${taken} already; ids are for the life of a job, take another`;
      return { answer: refusal("EXISTS", job_id, message) };
    }
    const judged = result_address === "" || allowExistingPage ? { to: job } : pageExists(job, pages);
    if ("askPage" in judged) return judged;
    if ("refused" in judged) return { answer: judged.refused };
    return { answer: { ...applied("CREATED", job_id), job }, write: { job, note: `create ${job_id}` } };
  });
}
