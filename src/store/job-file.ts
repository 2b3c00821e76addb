import { isUtf8 } from "node:buffer";
import { sep } from "node:path";
import type { Job } from "../job/job.ts";
import { JobError } from "../job/job-error.ts";
import { JOB_FILE_BYTES_MAX } from "../job/limits.ts";
import { parseJob } from "../job/parse-job.ts";
import { isJobId } from "../job/schema.ts";
import type { Disk } from "./disk.ts";
import { errnoOf, ioError } from "./io-error.ts";
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

/** A directory of job files, and how messages name it. */
export interface JobDirectory {
  readonly disk: Disk;
  readonly path: string;
  readonly displayName: string;
}

/**
 * Reads one job file. Every fault of it becomes its entry's error (contract §2); a file that has gone since it was listed
 * is no fault: undefined.
 */
export function openJobFile(
  { disk, path, displayName }: JobDirectory,
  name: string,
  isRegularFile: boolean,
): OpenedFile | undefined {
  const file = `${displayName}/${name}`;
  const jobId = jobIdOf(name);
  try {
    requireJobFileName(jobId, file);
    if (!isRegularFile) {
      throw new JobError("CORRUPT", `${file}: is not a regular file; a job is a file of its own, never a link or a directory`, {
        file,
      });
    }
    const text = readText(disk, path + sep + name, file);
    return { text, entry: readEntry(text, jobId, file) };
  } catch (cause) {
    if (errnoOf(cause) === "ENOENT") return undefined;
    return { text: undefined, entry: { job_id: null, error: cause instanceof JobError ? cause : ioError(file, cause) } };
  }
}

function requireJobFileName(jobId: string, file: string): void {
  if (isJobId(jobId)) return;
  const what = `"${jobId}" is no job id; rename the file, or start its name with _ to set it aside`;
  throw new JobError("SCHEMA", `${file}: ${what}`, { file, field: "job_id" });
}

function readText(disk: Disk, path: string, file: string): string {
  const text = disk.readText(path);
  // What is not UTF-8 was read as U+FFFD; writing that back would destroy it.
  if (text.includes("\uFFFD") && !isUtf8(disk.readBytes(path))) {
    throw new JobError("CORRUPT", `${file}: is not UTF-8; convert it or restore it from git`, { file });
  }
  return text;
}

/** The size is looked at after reading: a stat for each file would cost a quiet tick more than the reading does. */
function requireReadableSize(text: string, file: string): void {
  const bytes = text.length * 3 <= JOB_FILE_BYTES_MAX ? 0 : Buffer.byteLength(text);
  if (bytes > JOB_FILE_BYTES_MAX) {
    throw new JobError("TOO_LARGE", `${file}: ${bytes} bytes; at most ${JOB_FILE_BYTES_MAX} are read`, { file });
  }
}

/** The entry of a job file's text: a job, or its error. Also how the other stores read what they hold. */
export function readEntry(text: string, jobId: string, file: string): JobEntry {
  let job: Job;
  try {
    requireJobFileName(jobId, file);
    requireReadableSize(text, file);
    job = parseJob(text, jobId, file);
  } catch (error) {
    if (!(error instanceof JobError)) throw error;
    return { job_id: error.code === "SCHEMA" && isJobId(jobId) ? jobId : null, error };
  }
  return { job_id: jobId, job };
}
