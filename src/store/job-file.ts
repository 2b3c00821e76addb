import { errnoOf, ioError } from "../errors/io-error.ts";
import { JobError } from "../errors/job-error.ts";
import type { FileContent } from "../facts/read-bounded-file.ts";
import { parseJob } from "../job/file/parse-job.ts";
import type { Job } from "../job/job.ts";
import { isJobId } from "../job/job-id.ts";
import { JOB_FILE_BYTES_MAX } from "../job/limits.ts";
import { decodeText } from "../json/decode-text.ts";
import type { JobEntry, ReadJob } from "./job-store.ts";
import type { Decoded } from "./read-listed-text.ts";

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

/** The bytes of a job file that are in memory already. */
export function contentOf(bytes: Buffer): FileContent {
  return bytes.length > JOB_FILE_BYTES_MAX ? { kind: "too_large", size: bytes.length } : { kind: "content", bytes };
}

/** A directory of job files, on a disk or in a commit, and how messages name it. */
export interface JobDirectory {
  readonly displayName: string;
  read(fileName: string): Decoded | FileContent;
}

/**
 * Reads one job file, or takes it as `seen` if its text is still the same. Every fault of it becomes its entry's error (contract §2); a file that has gone since it was listed
 * is no fault: undefined.
 */
export function openJobFile(directory: JobDirectory, name: string, seen?: ReadJob): OpenedFile | undefined {
  const file = `${directory.displayName}/${name}`;
  const jobId = jobIdOf(name);
  try {
    if (!isJobId(jobId)) {
      const what = `"${jobId}" is no job id; rename the file, or start its name with _ to set it aside`;
      throw new JobError("SCHEMA", `${file}: ${what}`, { file, field: "job_id" });
    }
    const text = requireText(directory.read(name), file);
    return { text, entry: seen?.text === text ? seen : readEntry(text, jobId, file) };
  } catch (cause) {
    if (errnoOf(cause) === "ENOENT") return undefined;
    return { text: undefined, entry: { job_id: null, error: cause instanceof JobError ? cause : ioError(file, cause) } };
  }
}

/** The text of a job file. Throws JobError CORRUPT or TOO_LARGE for what holds none. */
export function requireText(content: Decoded | FileContent, file: string): string {
  switch (content.kind) {
    case "decoded":
    case "content": {
      const text = content.kind === "decoded" ? content.text : decodeText(content.bytes);
      if (text !== undefined) return text;
      throw new JobError("CORRUPT", `${file}: is not UTF-8; convert it or restore it from git`, { file });
    }
    case "not_regular":
      throw new JobError("CORRUPT", `${file}: is not a regular file; a job is a file of its own, never a link or a directory`, {
        file,
      });
    case "too_large":
      throw new JobError("TOO_LARGE", `${file}: ${content.size} bytes; at most ${JOB_FILE_BYTES_MAX} are read`, { file });
  }
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
  return { job_id: jobId, job, text };
}
