import { type Answer, type Fleet, refusal } from "../fleet.ts";
import type { Job } from "../job/job.ts";
import { createdJob } from "../job/moves/owner-change.ts";
import { type Step, transactOne } from "../store/job-store.ts";
import { type JobFields, requireFields } from "./job-fields.ts";

export interface CreateOptions {
  /** Take an address whose page already stands: the first tick may then find the job DONE. */
  readonly allowExistingPage?: boolean;
  /** How messages name the fields: a file, or the command line. */
  readonly source?: string;
}

export type CreateAnswer = Answer &
  ({ readonly state: "CREATED"; readonly job: Job } | { readonly state: "EXISTS" | "PAGE_EXISTS" });

/**
 * Adds a job from the owner's fields of contract §2. Refuses EXISTS for an id that is there, also in another case, and
 * PAGE_EXISTS for an address whose page already stands. Throws JobError SCHEMA, and TRUTH_UNAVAILABLE where git cannot
 * say whether the page stands.
 */
export async function createJob(fleet: Fleet, fields: JobFields, options: CreateOptions = {}): Promise<CreateAnswer> {
  const source = options.source ?? "new job";
  const job = createdJob(requireFields(fields, undefined, source), fleet.clock.now(), source);
  const { job_id, result_address } = job;
  if (result_address !== "" && !options.allowExistingPage) {
    const pages = await (await fleet.pages.atHead()).states([result_address]);
    if (pages.get(result_address) === "durable") {
      return refusal(
        "PAGE_EXISTS",
        job_id,
        `the page of ${result_address} already stands, so the job would be done before it began; give another result_address`,
      );
    }
  }
  return transactOne(fleet.store, job_id, ({ job: existing, namesake }): Step<CreateAnswer> => {
    const taken = existing?.job_id ?? namesake;
    if (taken !== undefined) {
      return {
        answer: refusal("EXISTS", job_id, `there is a job ${taken} already; ids are for the life of a job, take another`),
      };
    }
    return { answer: { ok: true, state: "CREATED", invoke_model: false, job_id, job }, write: { job, note: `create ${job_id}` } };
  });
}
