import type { Json } from "../../json/json.ts";
import type { Job } from "../job.ts";

/** What an explicit completion says: where the page stands that was verified, and what came of the work. */
export interface Completion {
  readonly address: string;
  readonly result: Json | undefined;
}

/** How a job ends well: by an explicit completion whose page was verified. */
export function completedFields({ address, result }: Completion, ts: string): Partial<Job> {
  return {
    status: "DONE",
    lease: null,
    completed_at: ts,
    result_address: address,
    // A result of null was given, and is known again as the same; only none at all is its page.
    result: result === undefined ? { kind: "page" } : result,
  };
}
