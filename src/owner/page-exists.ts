import { type Refused, refusal } from "../answer.ts";
import { JobError } from "../errors/job-error.ts";
import type { PageState } from "../job/decide.ts";
import type { Job } from "../job/job.ts";

/**
 * Whether a job may have its address: not where the page already stands, since the job would be done before it began
 * (contract §6). Throws JobError TRUTH_UNAVAILABLE where git cannot say.
 */
export function pageExists(
  job: Job,
  pages: ReadonlyMap<string, PageState>,
): { readonly to: Job } | { readonly askPage: string } | { readonly refused: Refused<"PAGE_EXISTS"> } {
  const { job_id, result_address } = job;
  const page = pages.get(result_address);
  switch (page) {
    case undefined:
      return { askPage: result_address };
    case "absent":
      return { to: job };
    case "durable": {
      const message = `the page of ${result_address} already stands, so the job would be done before it began; give another result_address`;
      return { refused: refusal("PAGE_EXISTS", job_id, message) };
    }
    case "unknown": {
      const message = `${job_id}: git cannot say whether the page of ${result_address} already stands. Nothing was changed; try again, or allow an existing page`;
      throw new JobError("TRUTH_UNAVAILABLE", message);
    }
  }
}
