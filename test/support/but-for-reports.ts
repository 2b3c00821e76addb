import { formatJob } from "../../src/job/file/format-job.ts";
import { parseJob } from "../../src/job/file/parse-job.ts";

/** Jobs as their files would stand without what claimants reported: a refused call may note that, and nothing else. */
export function butForReports(texts: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map(
    [...texts].map(([jobId, text]) => {
      const job = parseJob(text, jobId, jobId);
      const event_receipts = job.event_receipts.map((receipt) =>
        receipt.event === "delivery_claim" ? { ...receipt, tokens_used: 0 } : receipt,
      );
      return [jobId, formatJob({ ...job, tokens_used: 0, event_receipts }, jobId)];
    }),
  );
}
