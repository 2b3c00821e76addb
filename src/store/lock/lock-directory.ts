import { sep } from "node:path";
import { errnoOf } from "../../errors/io-error.ts";
import { randomToken } from "../../facts/ids.ts";
import { ownUserId } from "../../facts/process-environment.ts";
import { isTempName, newTempName, removeIfThere } from "../atomic-write.ts";
import type { Access, Disk } from "../disk.ts";
import { FREE, isBaton, isHeartbeat } from "./baton.ts";
import { lockUnavailable } from "./lock-unavailable.ts";

/**
 * The lock lies inside the jobs directory, so that whoever reaches the jobs meets the same lock. The subdirectory ignores
 * itself: git neither shows it nor removes it when it cleans or stashes.
 */
const NAME = ".lock.d";
const IGNORE_FILE = ".gitignore";
const IGNORE_ALL = "*\n";

/** What the directory is called until it is whole. */
const UNFINISHED = /^\.lock\.d-[0-9a-f]{24}$/;

/** A sticky directory lets nobody rename what another user made, and a baton passes between users. */
const ALL_BUT_STICKY = 0o2777;

export function lockPathIn(jobsDirectory: string): string {
  return jobsDirectory + sep + NAME;
}

export interface Look {
  /** `free`, or the name of who holds the lock. There is one, unless somebody meddles. */
  readonly batons: readonly string[];
  readonly temps: readonly string[];
  readonly heartbeats: readonly string[];
}

/** The lock's own directory, and what may be done in it. */
export class LockDirectory {
  readonly path: string;
  readonly #jobsDirectory: string;
  readonly #access: Access;
  readonly #disk: Disk;

  /** `access` is the jobs directory's: whoever may write job files may lock. */
  constructor(jobsDirectory: string, access: Access, disk: Disk) {
    this.path = lockPathIn(jobsDirectory);
    this.#jobsDirectory = jobsDirectory;
    this.#access = { ...access, mode: access.mode & ALL_BUT_STICKY };
    this.#disk = disk;
  }

  /** Refuses a link, a file or a pipe in the directory's place; follows a jobs directory that was given another group or mode. */
  requireSound(): void {
    const found = this.#disk.stat(this.path);
    if (found === undefined) return;
    if (found.kind !== "directory") {
      throw lockUnavailable(this.#jobsDirectory, `${this.path} is no directory, so this program did not make it; remove it`);
    }
    const { mode, gid } = this.#access;
    if (found.uid === ownUserId() && (found.mode !== mode || found.gid !== gid)) {
      this.#disk.giveDirectoryAccess(this.path, this.#access);
    }
  }

  /** Renames the baton. False where none bears that name: somebody else was faster. */
  pass(from: string, to: string): boolean {
    try {
      this.#disk.rename(this.pathOf(from), this.pathOf(to));
      return true;
    } catch (error) {
      if (errnoOf(error) === "ENOENT") return false;
      throw error;
    }
  }

  has(name: string): boolean {
    return this.#disk.stat(this.pathOf(name)) !== undefined;
  }

  /** When a holder last gave a sign of life, by the file system's clock; undefined where it has given none. */
  lastBeatOf(heartbeat: string): number | undefined {
    return this.#disk.stat(this.pathOf(heartbeat))?.changedAtMs;
  }

  /** undefined where there is no such directory. What is no regular file is not ours, whatever its name. */
  look(): Look | undefined {
    try {
      const entries = this.#disk.list(this.path);
      const files = entries.flatMap((entry) => (entry.isFile() ? entry.name : []));
      return {
        batons: files.filter(isBaton),
        temps: files.filter(isTempName),
        heartbeats: entries.flatMap(({ name }) => (isHeartbeat(name) ? name : [])),
      };
    } catch (error) {
      if (errnoOf(error) === "ENOENT") return undefined;
      throw error;
    }
  }

  /**
   * Makes the directory where there is none. It is made whole beside its place and renamed there, so that nobody meets half
   * of it. If somebody else's came first, theirs stays. If somebody took ours for a dead one's, there may be none afterwards:
   * the caller looks again.
   */
  async make(): Promise<void> {
    const fresh = `${this.path}-${randomToken()}`;
    try {
      this.#disk.makeDirectory(fresh, this.#access);
      await this.#fill(fresh);
      this.#disk.rename(fresh, this.path);
    } catch (error) {
      this.#remove(fresh);
      if (!this.#isRivals(error)) throw error;
    }
    if (this.#isThere()) this.#removeUnfinished();
  }

  /** Whether the lock's directory could not be made because somebody else made it, or removed what was not finished. */
  #isRivals(error: unknown): boolean {
    const errno = errnoOf(error);
    if (errno === undefined) return false;
    return this.#isThere() || (errno === "ENOENT" && this.#disk.stat(this.#jobsDirectory) !== undefined);
  }

  #isThere(): boolean {
    return this.#disk.stat(this.path) !== undefined;
  }

  /** Those of others who died before theirs came to its place. One that is still being made is in vain, now that there is one. */
  #removeUnfinished(): void {
    for (const { name } of this.#disk.list(this.#jobsDirectory)) {
      if (UNFINISHED.test(name)) this.#remove(this.#jobsDirectory + sep + name);
    }
  }

  #remove(unfinished: string): void {
    for (const part of [FREE, IGNORE_FILE]) removeIfThere(this.#disk, unfinished + sep + part);
    this.#disk.removeDirectory(unfinished);
  }

  /** Makes a baton where it was lost, as when somebody cleared the directory. */
  remakeBaton(): Promise<void> {
    return this.#fill(this.path);
  }

  async #fill(directory: string): Promise<void> {
    // First, and durably, what hides the rest from git.
    await this.#createIfAbsent(directory + sep + IGNORE_FILE, IGNORE_ALL);
    await this.#createIfAbsent(directory + sep + FREE, "");
  }

  async #createIfAbsent(path: string, text: string): Promise<void> {
    try {
      const descriptor = this.#disk.create(path, text);
      try {
        await this.#disk.flush(descriptor);
      } finally {
        this.#disk.close(descriptor);
      }
    } catch (error) {
      if (errnoOf(error) !== "EEXIST") throw error;
    }
  }

  /**
   * Removes what holders before left behind. A holder that stands still before its rename would undo what its successor
   * writes; without its temp file it cannot. So one that cannot be removed is an error.
   */
  sweep({ temps, heartbeats }: Look): void {
    for (const name of temps) this.#removeTemp(this.pathOf(name));
    for (const name of heartbeats) this.#disk.removeDirectory(this.pathOf(name));
  }

  newTempPath(): string {
    return this.pathOf(newTempName());
  }

  pathOf(name: string): string {
    return this.path + sep + name;
  }

  #removeTemp(path: string): void {
    try {
      this.#disk.remove(path);
    } catch (error) {
      if (errnoOf(error) !== "ENOENT") throw error;
    }
  }
}
