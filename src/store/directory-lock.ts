import { errnoOf } from "../errors/io-error.ts";
import { JobError } from "../errors/job-error.ts";
import type { Clock } from "../facts/clock.ts";
import { randomToken } from "../facts/ids.ts";
import { ownLife } from "../facts/process-life.ts";
import { type DirectoryStat, type Disk, nodeDisk } from "./disk.ts";
import { FREE, heartbeatName, heldName } from "./lock/baton.ts";
import { startHeartbeat } from "./lock/heartbeat.ts";
import { LockDirectory } from "./lock/lock-directory.ts";
import { lockUnavailable } from "./lock/lock-unavailable.ts";
import { takeBaton } from "./lock/take-baton.ts";

export { type LockLook, lookAtLock } from "./lock/look-at-lock.ts";

/** A turn with a directory. A holder that was taken for dead may still run: it asks before each write. */
export interface HeldLock {
  isStillHeld(): boolean;
  /**
   * Where a text is written before it is renamed into place. The next holder removes it first of all, so that a holder that
   * lost its turn after it asked cannot write either.
   */
  newTempPath(): string;
}

export interface LockMeans {
  readonly clock: Clock;
  readonly disk?: Disk;
}

/** Callers of one process queue here, so that only one of them at a time races other processes. */
const queues = new Map<string, Promise<unknown>>();

/**
 * Runs `work` while no other thread or process that reaches the same directory runs work on it, by whatever path, mount,
 * namespace or user (contract §7). Throws JobError LOCK_UNAVAILABLE when its turn does not come within a minute.
 */
export async function withDirectoryLock<T>(
  directory: string,
  means: LockMeans,
  work: (lock: HeldLock) => Promise<T>,
): Promise<T> {
  const { clock, disk = nodeDisk } = means;
  const stat = statOf(directory, disk);
  const run = (): Promise<T> => lockAndRun(new LockDirectory(directory, stat, disk), directory, clock, work);
  const turn = (queues.get(stat.identity) ?? Promise.resolve()).then(run, run);
  queues.set(stat.identity, turn);
  try {
    return await turn;
  } finally {
    if (queues.get(stat.identity) === turn) queues.delete(stat.identity);
  }
}

async function lockAndRun<T>(
  place: LockDirectory,
  directory: string,
  clock: Clock,
  work: (lock: HeldLock) => Promise<T>,
): Promise<T> {
  const token = randomToken();
  const own = heldName({ token, life: ownLife() });
  await takeBaton(place, own, directory, clock).catch((error: unknown) => {
    throw error instanceof Error && errnoOf(error) !== undefined ? lockUnavailable(directory, error) : error;
  });
  const isStillHeld = (): boolean => place.has(own);
  const stopHeartbeat = startHeartbeat(place.pathOf(heartbeatName(token)), isStillHeld);
  try {
    return await work({ isStillHeld, newTempPath: () => place.newTempPath() });
  } finally {
    await stopHeartbeat();
    giveBack(place, own);
  }
}

/** A baton that cannot be given back is taken over from its silent holder: what was done under it stands. */
function giveBack(place: LockDirectory, own: string): void {
  try {
    place.pass(own, FREE);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
  }
}

function statOf(directory: string, disk: Disk): DirectoryStat {
  try {
    return disk.statDirectory(directory);
  } catch (cause) {
    const what = errnoOf(cause) === "ENOTDIR" ? "is not a directory;" : "is not there; make it, or";
    throw new JobError("CONFIG", `${directory}: ${what} name the jobs directory with --jobs-dir`, { file: directory, cause });
  }
}
