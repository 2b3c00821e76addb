import { isUtf8 } from "node:buffer";
import type { Dirent } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../facts/clock.ts";
import { formatJob } from "../job/format-job.ts";
import { JobError } from "../job/job-error.ts";
import { JOB_FILE_BYTES_MAX } from "../job/limits.ts";
import { parseJob } from "../job/parse-job.ts";
import { isJobId } from "../job/schema.ts";
import { isTempName, removeIfThere, replaceFile } from "./atomic-write.ts";
import { type HeldLock, withDirectoryLock } from "./directory-lock.ts";
import { type Disk, nodeDisk } from "./disk.ts";
import { errnoOf, ioError } from "./io-error.ts";
import { CONFLICT_TRIES, type Found, type JobEntry, type JobStore, type Outcome, type StepFunction } from "./job-store.ts";

/** Enough fsyncs under way for the disk to merge them, few enough to bound open files and memory. */
const WRITES_AT_ONCE = 32;

export interface FileJobStoreOptions {
  readonly directory: string;
  /** How messages name the directory: as the user gave it. */
  readonly displayName?: string;
  readonly clock: Clock;
  readonly disk?: Disk;
}

/** A directory of job files on this host. Linearized by a lock; a write is temp file, fsync, compare, rename. */
export class FileJobStore implements JobStore {
  readonly #directory: string;
  readonly #displayName: string;
  readonly #clock: Clock;
  readonly #disk: Disk;

  constructor(options: FileJobStoreOptions) {
    this.#directory = options.directory;
    this.#displayName = options.displayName ?? options.directory;
    this.#clock = options.clock;
    this.#disk = options.disk ?? nodeDisk;
  }

  async scan(): Promise<Iterable<JobEntry>> {
    const listing = this.#list();
    if (listing.some((entry) => isTempName(entry.name))) {
      await withDirectoryLock(this.#directory, this.#clock, async () => this.#removeStrayTempFiles());
    }
    return this.#readAll(listing.filter(({ name }) => isJobFileName(name)));
  }

  async read(jobId: string): Promise<JobEntry | undefined> {
    const found = this.#open(jobId);
    return found === undefined ? undefined : found.entry;
  }

  async transact<Answer>(jobIds: readonly string[], step: StepFunction<Answer>): Promise<ReadonlyMap<string, Outcome<Answer>>> {
    const outcomes = new Map<string, Outcome<Answer>>();
    let undecided = jobIds;
    for (let tries = 0; tries < CONFLICT_TRIES && undecided.length > 0; tries++) {
      const pending = undecided;
      undecided = await withDirectoryLock(this.#directory, this.#clock, async (lock) => {
        this.#removeStrayTempFiles();
        return this.#decideAll(pending, step, lock, outcomes);
      });
    }
    for (const jobId of undecided) {
      const file = this.#fileOf(jobId);
      const message = `${file}: somebody else kept writing it while it was decided on, ${CONFLICT_TRIES} times. Nothing was changed; try again`;
      outcomes.set(jobId, { error: new JobError("CONFLICT", message, { file }) });
    }
    return outcomes;
  }

  /** Decides and writes each job, several at a time. Gives back those that changed underneath and must be decided again. */
  async #decideAll<Answer>(
    jobIds: readonly string[],
    step: StepFunction<Answer>,
    lock: HeldLock,
    outcomes: Map<string, Outcome<Answer>>,
  ): Promise<string[]> {
    const undecided: string[] = [];
    const queue = jobIds.values();
    let hasWritten = false;
    const lane = async (): Promise<void> => {
      for (const jobId of queue) {
        const result = await this.#decideOne(jobId, step, lock).catch((error: unknown) => this.#failed<Answer>(error, jobId));
        if (result.state === "changed_underneath") undecided.push(jobId);
        else outcomes.set(jobId, result.outcome);
        hasWritten ||= result.state === "written";
      }
    };
    await Promise.all(Array.from({ length: Math.min(WRITES_AT_ONCE, jobIds.length) }, lane));
    if (hasWritten) this.#flushDirectory();
    return undecided;
  }

  async #decideOne<Answer>(jobId: string, step: StepFunction<Answer>, lock: HeldLock): Promise<Decided<Answer>> {
    const opened = this.#open(jobId);
    if (opened?.entry.error !== undefined) return { state: "untouched", outcome: { error: opened.entry.error } };
    const found: Found = { job_id: jobId, job: opened?.entry.job, namesake: opened ? undefined : this.#namesakeOf(jobId) };
    const { answer, write } = step(found);
    if (write === undefined) return { state: "untouched", outcome: { answer } };
    const text = formatJob(write.job, this.#fileOf(jobId));
    if (text === opened?.text) return { state: "untouched", outcome: { answer } };
    const path = this.#pathOf(jobId);
    const isCurrent = (): boolean => lock.isStillHeld() && this.#textNow(path) === opened?.text;
    const isReplaced = await replaceFile(this.#disk, path, text, opened?.mode, isCurrent);
    return isReplaced ? { state: "written", outcome: { answer } } : { state: "changed_underneath" };
  }

  #failed<Answer>(error: unknown, jobId: string): Decided<Answer> {
    if (error instanceof JobError) return { state: "untouched", outcome: { error } };
    if (errnoOf(error) === undefined) throw error;
    return { state: "untouched", outcome: { error: ioError(this.#fileOf(jobId), error) } };
  }

  #textNow(path: string): string | undefined {
    try {
      return this.#disk.readText(path);
    } catch (error) {
      if (errnoOf(error) === "ENOENT") return undefined;
      throw error;
    }
  }

  #flushDirectory(): void {
    try {
      this.#disk.flushDirectory(this.#directory);
    } catch (error) {
      // Some file systems have no such thing as flushing a directory.
      if (!NO_DIRECTORY_FLUSH.includes(errnoOf(error) ?? "")) throw ioError(this.#displayName, error);
    }
  }

  #list(): Dirent[] {
    try {
      return this.#disk.list(this.#directory);
    } catch (cause) {
      throw listError(this.#displayName, cause);
    }
  }

  *#readAll(listing: readonly Dirent[]): Generator<JobEntry> {
    for (const name of listing.map((entry) => entry.name).sort()) {
      const opened = this.#openFile(name);
      if (opened !== undefined) yield opened.entry;
    }
  }

  #open(jobId: string): OpenedFile | undefined {
    if (!isJobId(jobId)) throw new JobError("SCHEMA", `"${jobId}" is not a job id; nothing was read`, { field: "job_id" });
    return this.#openFile(`${jobId}.json`);
  }

  /** A file that has gone since it was listed is no fault: undefined. */
  #openFile(name: string): OpenedFile | undefined {
    const file = `${this.#displayName}/${name}`;
    const path = join(this.#directory, name);
    const jobId = name.slice(0, -".json".length);
    try {
      const { size, mode, isFile } = this.#disk.stat(path);
      if (!isJobId(jobId))
        throw new JobError(
          "SCHEMA",
          `${file}: "${jobId}" is no job id; rename the file, or start its name with _ to set it aside`,
          { file, field: "job_id" },
        );
      if (!isFile)
        throw new JobError("CORRUPT", `${file}: is not a regular file; a job is a file of its own, never a link or a directory`, {
          file,
        });
      if (size > JOB_FILE_BYTES_MAX)
        throw new JobError("TOO_LARGE", `${file}: ${size} bytes; at most ${JOB_FILE_BYTES_MAX} are read`, { file });
      const text = this.#disk.readText(path);
      if (text.includes("\uFFFD") && !isUtf8(this.#disk.readBytes(path))) {
        throw new JobError("CORRUPT", `${file}: is not UTF-8; convert it or restore it from git`, { file });
      }
      return { text, mode, entry: readEntry(text, jobId, file) };
    } catch (cause) {
      if (errnoOf(cause) === "ENOENT") return undefined;
      return {
        text: undefined,
        mode: undefined,
        entry: { job_id: null, error: cause instanceof JobError ? cause : ioError(file, cause) },
      };
    }
  }

  #namesakeOf(jobId: string): string | undefined {
    const folded = `${jobId}.json`.toLowerCase();
    return this.#list()
      .find(({ name }) => name.toLowerCase() === folded)
      ?.name.slice(0, -".json".length);
  }

  /** Temp files are written under the lock alone, so under the lock every one of them is a dead writer's. */
  #removeStrayTempFiles(): void {
    for (const { name } of this.#list()) {
      if (isTempName(name)) removeIfThere(this.#disk, join(this.#directory, name));
    }
  }

  #pathOf(jobId: string): string {
    return join(this.#directory, `${jobId}.json`);
  }

  #fileOf(jobId: string): string {
    return `${this.#displayName}/${jobId}.json`;
  }
}

const NO_DIRECTORY_FLUSH = ["EINVAL", "EISDIR", "EPERM"];

type Decided<Answer> =
  | { readonly state: "written" | "untouched"; readonly outcome: Outcome<Answer> }
  | { readonly state: "changed_underneath" };

interface OpenedFile {
  /** The text that was decided on; undefined where it could not be read. */
  readonly text: string | undefined;
  readonly mode: number | undefined;
  readonly entry: JobEntry;
}

/** `*.json`, but for what starts with `_` or `.`, which is set aside (contract §2). */
function isJobFileName(name: string): boolean {
  return name.endsWith(".json") && !name.startsWith("_") && !name.startsWith(".");
}

function readEntry(text: string, jobId: string, file: string): JobEntry {
  try {
    return { job_id: jobId, job: parseJob(text, jobId, file) };
  } catch (error) {
    if (!(error instanceof JobError)) throw error;
    return { job_id: error.code === "SCHEMA" ? jobId : null, error };
  }
}

function listError(directory: string, cause: unknown): JobError {
  switch (errnoOf(cause)) {
    case "ENOENT":
      return new JobError("CONFIG", `${directory}: is not there; make it, or name the jobs directory with --jobs-dir`, {
        file: directory,
        cause,
      });
    case "ENOTDIR":
      return new JobError("CONFIG", `${directory}: is not a directory; name the jobs directory with --jobs-dir`, {
        file: directory,
        cause,
      });
    default:
      return ioError(directory, cause);
  }
}
