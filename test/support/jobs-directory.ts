import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { formatJob } from "../../src/job/file/format-job.ts";
import { parseJob } from "../../src/job/file/parse-job.ts";
import type { Job } from "../../src/job/job.ts";
import { isTempName } from "../../src/store/atomic-write.ts";
import { lockPathOf } from "../../src/store/directory-lock.ts";
import { tempDirectory } from "./temp-directory.ts";

/** A directory of job files that is gone when its `using` block ends. What it says of its files is read past the store. */
export class JobsDirectory implements Disposable {
  readonly path: string;
  readonly #isOwnDirectory: boolean;

  /** `path` must be an empty directory; a fresh one is made where none is given. */
  constructor(jobs: readonly Job[], path?: string) {
    this.#isOwnDirectory = path === undefined;
    this.path = path ?? tempDirectory();
    for (const job of jobs) this.write(job);
  }

  write(job: Job): void {
    writeFileSync(this.fileOf(job.job_id), formatJob(job, job.job_id));
  }

  fileOf(jobId: string): string {
    return join(this.path, `${jobId}.json`);
  }

  /** The text of each job file by job id. */
  texts(): Map<string, string> {
    const names = readdirSync(this.path).filter((name) => name.endsWith(".json"));
    return new Map(names.map((name) => [name.slice(0, -".json".length), readFileSync(join(this.path, name), "utf8")]));
  }

  /** Throws for a file that is not a whole job. */
  job(jobId: string): Job {
    return parseJob(readFileSync(this.fileOf(jobId), "utf8"), jobId, jobId);
  }

  /** Leaves half a file, as a process does that was killed while it wrote. */
  leaveTempFile(): void {
    writeFileSync(join(this.path, `.harness-wake-${"0".repeat(24)}.tmp`), '{"job_id": "ha');
  }

  tempFiles(): string[] {
    return readdirSync(this.path).filter(isTempName);
  }

  isLocked(): boolean {
    return existsSync(this.#lock);
  }

  /** Leaves the lock as a process does that was killed a while ago. */
  leaveDeadLock(): void {
    mkdirSync(this.#lock, { recursive: true });
    writeFileSync(this.lockToken, "token of the dead");
    this.ageLock();
  }

  /** Lets the time pass after which a silent holder counts as dead. */
  ageLock(at = 0): void {
    if (this.isLocked()) utimesSync(this.#lock, at, at);
  }

  /** Where the lock's newest holder keeps its token. */
  get lockToken(): string {
    return `${lockPathOf(this.path)}.holder`;
  }

  get #lock(): string {
    return `${lockPathOf(this.path)}.lock`;
  }

  [Symbol.dispose](): void {
    rmSync(this.#lock, { recursive: true, force: true });
    rmSync(this.lockToken, { recursive: true, force: true });
    if (this.#isOwnDirectory) rmSync(this.path, { recursive: true, force: true });
  }
}
