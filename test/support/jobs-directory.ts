import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { formatJob } from "../../src/job/file/format-job.ts";
import { parseJob } from "../../src/job/file/parse-job.ts";
import type { Job } from "../../src/job/job.ts";
import { isTempName } from "../../src/store/atomic-write.ts";
import { FREE, holderOf, isBaton } from "../../src/store/lock/baton.ts";
import { deadHolder } from "./dead-holder.ts";
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
    this.#layLock();
    writeFileSync(join(this.lock, `tmp-${"0".repeat(24)}`), '{"job_id": "ha');
  }

  /** What is there only until a write, or the making of the lock, is over. */
  tempFiles(): string[] {
    return [...this.#lockNames().filter(isTempName), ...readdirSync(this.path).filter((name) => name.startsWith(".lock.d-"))];
  }

  isLocked(): boolean {
    return this.#held().length > 0;
  }

  /** Leaves the lock as a process does that was killed. */
  leaveDeadLock(): void {
    this.#layLock();
    for (const name of this.#lockNames().filter(isBaton)) rmSync(join(this.lock, name));
    writeFileSync(join(this.lock, deadHolder()), "");
  }

  /** Takes the lock from whoever holds it, as others do that take it for dead, and leaves it as if they had died in turn. */
  takeLockForDead(): void {
    for (const name of this.#held()) renameSync(join(this.lock, name), join(this.lock, deadHolder()));
  }

  /** Where the lock lies. */
  get lock(): string {
    return join(this.path, ".lock.d");
  }

  #held(): string[] {
    return this.#lockNames().filter((name) => holderOf(name) !== undefined);
  }

  #lockNames(): string[] {
    try {
      return readdirSync(this.lock);
    } catch {
      // Nobody has locked it yet.
      return [];
    }
  }

  #layLock(): void {
    mkdirSync(this.lock, { recursive: true });
    if (this.#lockNames().some(isBaton)) return;
    writeFileSync(join(this.lock, ".gitignore"), "*\n");
    writeFileSync(join(this.lock, FREE), "");
  }

  [Symbol.dispose](): void {
    if (this.#isOwnDirectory) rmSync(this.path, { recursive: true, force: true });
  }
}
