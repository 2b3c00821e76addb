import { isUtf8 } from "node:buffer";
import { errnoOf, ioError } from "../errors/io-error.ts";
import { JobError } from "../errors/job-error.ts";
import { parseJob } from "../job/file/parse-job.ts";
import type { Job } from "../job/job.ts";
import { isJobId } from "../job/job-id.ts";
import { JOB_FILE_BYTES_MAX } from "../job/limits.ts";
import type { JobEntry } from "./job-store.ts";

const EXTENSION = ".json";

/** `*.json`, but for what starts with `_` or `.`, which is set aside (contract §2). */
export function isJobFileName(name: string): boolean {
  return name.endsWith(EXTENSION) && !name.startsWith("_") && !name.startsWith(".");
}

export function jobFileName(jobId: string): string {
  return jobId + EXTENSION;
}

export function jobIdOf(fileName: string): string {
  return fileName.slice(0, -EXTENSION.length);
}

export interface OpenedFile {
  /** The text that was decided on; undefined where it could not be read. */
  readonly text: string | undefined;
  readonly entry: JobEntry;
}

/** A directory of job files, on a disk or in a commit, and how messages name it. */
export interface JobDirectory {
  readonly displayName: string;
  /** What is not UTF-8 becomes U+FFFD. */
  readText(fileName: string): string;
  readBytes(fileName: string): Uint8Array;
}

/**
 * Reads one job file. Every fault of it becomes its entry's error (contract §2); a file that has gone since it was listed
 * is no fault: undefined.
 */
export function openJobFile(directory: JobDirectory, name: string, isRegularFile: boolean): OpenedFile | undefined {
  const file = `${directory.displayName}/${name}`;
  const jobId = jobIdOf(name);
  try {
    if (!isJobId(jobId)) {
      const what = `"${jobId}" is no job id; rename the file, or start its name with _ to set it aside`;
      throw new JobError("SCHEMA", `${file}: ${what}`, { file, field: "job_id" });
    }
    if (!isRegularFile) {
      throw new JobError("CORRUPT", `${file}: is not a regular file; a job is a file of its own, never a link or a directory`, {
        file,
      });
    }
    const text = readText(directory, name, file);
    return { text, entry: readEntry(text, jobId, file) };
  } catch (cause) {
    if (errnoOf(cause) === "ENOENT") return undefined;
    return { text: undefined, entry: { job_id: null, error: cause instanceof JobError ? cause : ioError(file, cause) } };
  }
}

/**
 * Size and encoding are looked at after reading: a stat for each file would cost a quiet tick more than the reading does.
 * Encoding first, since a byte that is not UTF-8 was read as three.
 */
function readText(directory: JobDirectory, name: string, file: string): string {
  const text = directory.readText(name);
  // Writing back what was read as U+FFFD would destroy it.
  if (text.includes("\uFFFD") && !isUtf8(directory.readBytes(name))) {
    throw new JobError("CORRUPT", `${file}: is not UTF-8; convert it or restore it from git`, { file });
  }
  const bytes = text.length * 3 <= JOB_FILE_BYTES_MAX ? 0 : Buffer.byteLength(text);
  if (bytes > JOB_FILE_BYTES_MAX) {
    throw new JobError("TOO_LARGE", `${file}: ${bytes} bytes; at most ${JOB_FILE_BYTES_MAX} are read`, { file });
  }
  return text;
}

/** The entry of a job file's text: a job, or its error. */
function readEntry(text: string, jobId: string, file: string): JobEntry {
  let job: Job;
  try {
    job = parseJob(text, jobId, file);
  } catch (error) {
    if (!(error instanceof JobError)) throw error;
    return { job_id: error.code === "SCHEMA" ? jobId : null, error };
  }
  return { job_id: jobId, job };
}
