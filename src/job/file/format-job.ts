import { JobError } from "../../errors/job-error.ts";
import { formatFile } from "../../json/lossless-json.ts";
import { fieldsOfKind } from "../fields.ts";
import { isTerminal, type Job, type Lease } from "../job.ts";
import { ENDING_BYTES, JOB_FILE_BYTES_MAX } from "../limits.ts";
import { normalizeTime } from "../time.ts";
import { asDocument, requireReadable } from "./parse-job.ts";

const TIME_FIELDS = fieldsOfKind("time");

/**
 * The text of the job's file (contract §2): keys sorted, its own times as `YYYY-MM-DDTHH:MM:SSZ`. Receipts are history and
 * stay as they were written. Throws JobError TOO_LARGE where the text would pass 4 MiB, or come so near that the job could not be ended, SCHEMA where it could not be read back.
 */
export function formatJob(job: Job, file: string): string {
  requireReadable(asDocument(job), file);
  const text = formatFile(asDocument(withPlainTimes(job)));
  const bytes = Buffer.byteLength(text);
  const bytesMax = isTerminal(job.status) ? JOB_FILE_BYTES_MAX : JOB_FILE_BYTES_MAX - ENDING_BYTES;
  if (bytes > bytesMax) {
    const message = `would grow to ${bytes} bytes; at most ${bytesMax} fit. Shorten its checkpoint or its receipts, or cancel it`;
    throw new JobError("TOO_LARGE", `${file}: ${message}`, { file });
  }
  return text;
}

/** The job with its own times as they are written; a job that a transition has moved before has them so already. */
function withPlainTimes(job: Job): Job {
  const lease = job.lease && withPlainUntil(job.lease);
  const odd = TIME_FIELDS.flatMap((field) => {
    const time = job[field];
    const plain = typeof time === "string" ? normalizeTime(time) : time;
    return plain === time ? [] : [[field, plain] as const];
  });
  return odd.length === 0 && lease === job.lease ? job : { ...job, lease, ...Object.fromEntries(odd) };
}

function withPlainUntil(lease: Lease): Lease {
  const until = normalizeTime(lease.until);
  return until === lease.until ? lease : { ...lease, until };
}
