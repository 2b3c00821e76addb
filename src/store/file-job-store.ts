import type { Dirent } from "node:fs";
import { sep } from "node:path";
import { errnoOf, ioError } from "../errors/io-error.ts";
import { JobError } from "../errors/job-error.ts";
import type { Clock } from "../facts/clock.ts";
import { formatJob } from "../job/file/format-job.ts";
import { requireJobId } from "../job/job-id.ts";
import { JOB_FILE_BYTES_MAX } from "../job/limits.ts";
import { replaceFile } from "./atomic-write.ts";
import { type HeldLock, withDirectoryLock } from "./directory-lock.ts";
import { type Disk, nodeDisk } from "./disk.ts";
import { isJobFileName, type JobDirectory, jobFileName, jobIdOf, type OpenedFile, openJobFile, requireText } from "./job-file.ts";
import {
  CONFLICT_TRIES,
  type Found,
  type JobEntry,
  type JobStore,
  type Outcome,
  type ReadJob,
  type StepFunction,
} from "./job-store.ts";

export interface FileJobStoreOptions {
  readonly directory: string;
  /** How messages name the directory: as the user gave it. */
  readonly displayName?: string;
  readonly clock: Clock;
  readonly disk?: Disk;
}

/** A disk makes files durable together that come together. No more than this, to bound open files and memory. */
const WRITES_AT_ONCE = 32;

type Decided<Answer> =
  | { readonly state: "written" | "untouched"; readonly outcome: Outcome<Answer> }
  | { readonly state: "changed_underneath" };

/** A directory of job files on this host. Linearized by a lock; a write is temp file, fsync, compare, rename. */
export class FileJobStore implements JobStore {
  readonly kind = "file";
  readonly #path: string;
  readonly #directory: JobDirectory;
  readonly #clock: Clock;
  readonly #disk: Disk;

  constructor({ directory, displayName = directory, clock, disk = nodeDisk }: FileJobStoreOptions) {
    this.#path = directory;
    this.#directory = {
      displayName,
      read: (name) => disk.read(directory + sep + name, JOB_FILE_BYTES_MAX),
    };
    this.#clock = clock;
    this.#disk = disk;
  }

  async scan(): Promise<Iterable<JobEntry>> {
    return this.#readAll(this.#list().filter(({ name }) => isJobFileName(name)));
  }

  async read(jobId: string): Promise<JobEntry | undefined> {
    requireJobId(jobId);
    const name = jobFileName(jobId);
    const stat = this.#statOf(name);
    if (stat !== undefined) return this.#open(name, stat.kind === "file")?.entry;
    // No such job is an answer only where there is a directory that could hold it.
    this.#list();
    return undefined;
  }

  #statOf(name: string): ReturnType<Disk["stat"]> {
    try {
      return this.#disk.stat(this.#path + sep + name);
    } catch (cause) {
      throw listError(this.#directory.displayName, cause);
    }
  }

  async transact<Answer>(
    jobIds: readonly string[],
    step: StepFunction<Answer>,
    seen?: ReadonlyMap<string, ReadJob>,
  ): Promise<ReadonlyMap<string, Outcome<Answer>>> {
    const outcomes = new Map<string, Outcome<Answer>>();
    jobIds.forEach(requireJobId);
    let undecided = jobIds;
    for (let tries = 0; tries < CONFLICT_TRIES && undecided.length > 0; tries++) {
      const pending = undecided;
      const means = { clock: this.#clock, disk: this.#disk };
      undecided = await withDirectoryLock(this.#path, means, (lock) => this.#decideAll(pending, step, seen, lock, outcomes));
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
    seen: ReadonlyMap<string, ReadJob> | undefined,
    lock: HeldLock,
    outcomes: Map<string, Outcome<Answer>>,
  ): Promise<string[]> {
    const undecided: string[] = [];
    const queue = jobIds.values();
    const written: string[] = [];
    const runLane = async (): Promise<void> => {
      for (const jobId of queue) {
        const decided = await this.#decideOne(jobId, step, seen?.get(jobId), lock).catch((error: unknown) =>
          this.#failed<Answer>(error, jobId),
        );
        if (decided.state === "changed_underneath") undecided.push(jobId);
        else outcomes.set(jobId, decided.outcome);
        if (decided.state === "written") written.push(jobId);
      }
    };
    const lanes = await Promise.allSettled(Array.from({ length: Math.min(WRITES_AT_ONCE, jobIds.length) }, runLane));
    // A bug in one lane is told only when the others have come to rest: nobody may write after the lock is released.
    for (const lane of lanes) if (lane.status === "rejected") throw lane.reason;
    const flushFault = written.length === 0 ? undefined : this.#flushDirectory();
    if (flushFault !== undefined) {
      for (const jobId of written) outcomes.set(jobId, { error: this.#undurable(jobId, flushFault) });
    }
    return undecided;
  }

  async #decideOne<Answer>(
    jobId: string,
    step: StepFunction<Answer>,
    seen: ReadJob | undefined,
    lock: HeldLock,
  ): Promise<Decided<Answer>> {
    const name = jobFileName(jobId);
    const stat = this.#statOf(name);
    const opened = stat === undefined ? undefined : this.#open(name, stat.kind === "file", seen);
    if (opened?.entry.error !== undefined) return { state: "untouched", outcome: { error: opened.entry.error } };
    const found: Found = { job_id: jobId, job: opened?.entry.job, namesake: opened ? undefined : this.#namesakeOf(jobId) };
    const { answer, write } = step(found);
    if (write === undefined) return { state: "untouched", outcome: { answer } };
    const text = formatJob(write.job, this.#fileOf(jobId));
    if (text === opened?.text) return { state: "untouched", outcome: { answer } };
    const isCurrent = (): boolean => lock.isStillHeld() && this.#holds(name, opened?.text);
    const replacement = { path: this.#path + sep + name, temp: lock.newTempPath(), text, access: stat };
    const isReplaced = await replaceFile(this.#disk, replacement, isCurrent);
    return isReplaced ? { state: "written", outcome: { answer } } : { state: "changed_underneath" };
  }

  #failed<Answer>(error: unknown, jobId: string): Decided<Answer> {
    if (error instanceof JobError) return { state: "untouched", outcome: { error } };
    if (errnoOf(error) === undefined) throw error;
    return { state: "untouched", outcome: { error: ioError(this.#fileOf(jobId), error) } };
  }

  #list(): Dirent[] {
    try {
      return this.#disk.list(this.#path);
    } catch (cause) {
      throw listError(this.#directory.displayName, cause);
    }
  }

  *#readAll(listing: readonly Dirent[]): Generator<JobEntry> {
    const irregular = new Set(listing.flatMap((entry) => (entry.isFile() ? [] : entry.name)));
    for (const name of listing.map((entry) => entry.name).sort()) {
      const opened = this.#open(name, !irregular.has(name));
      if (opened !== undefined) yield opened.entry;
    }
  }

  /** What is known to be no file is not even opened: opening a device may do something. */
  #open(name: string, isFile: boolean, seen?: ReadJob): OpenedFile | undefined {
    return openJobFile(isFile ? this.#directory : { ...this.#directory, read: () => ({ kind: "not_regular" }) }, name, seen);
  }

  /** Whether a file still holds a text, or is still not there where there was none. Throws JobError for what holds no text. */
  #holds(name: string, text: string | undefined): boolean {
    try {
      return requireText(this.#directory.read(name), `${this.#directory.displayName}/${name}`) === text;
    } catch (error) {
      if (errnoOf(error) === "ENOENT") return text === undefined;
      throw error;
    }
  }

  #namesakeOf(jobId: string): string | undefined {
    const folded = jobFileName(jobId).toLowerCase();
    const namesake = this.#list().find(({ name }) => name.toLowerCase() === folded);
    return namesake === undefined ? undefined : jobIdOf(namesake.name);
  }

  /** Gives what the system said when it could not. */
  #flushDirectory(): unknown {
    try {
      this.#disk.flushDirectory(this.#path);
      return undefined;
    } catch (error) {
      const errno = errnoOf(error);
      if (errno === undefined) throw error;
      // Some file systems have no such thing as flushing a directory.
      return NO_DIRECTORY_FLUSH.includes(errno) ? undefined : error;
    }
  }

  #undurable(jobId: string, cause: unknown): JobError {
    const file = this.#fileOf(jobId);
    const message = `${file}: was written, but the disk did not make it durable (${errnoOf(cause)}); a power cut could undo it. Look after the disk`;
    return new JobError("IO", message, { file, cause });
  }

  #fileOf(jobId: string): string {
    return `${this.#directory.displayName}/${jobFileName(jobId)}`;
  }
}

const NO_DIRECTORY_FLUSH = ["EINVAL", "EISDIR", "EPERM"];

function listError(directory: string, cause: unknown): JobError {
  const details = { file: directory, cause };
  switch (errnoOf(cause)) {
    case "ENOENT":
      return new JobError("CONFIG", `${directory}: is not there; make it, or name the jobs directory with --jobs-dir`, details);
    case "ENOTDIR":
      return new JobError("CONFIG", `${directory}: is not a directory; name the jobs directory with --jobs-dir`, details);
    default:
      return ioError(directory, cause);
  }
}
