import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { platform, tmpdir } from "node:os";
import { join } from "node:path";
import { JobError } from "../errors/job-error.ts";
import type { Clock } from "../facts/clock.ts";
import { randomToken } from "../facts/ids.ts";
import { pauseBetween } from "../facts/pause.ts";
import { ownUserId } from "../facts/process-environment.ts";

/** A holder that was killed is taken over after this long; one that lives renews five times as often. */
const STALE_MS = 5_000;
const RENEW_MS = 1_000;
const RENEW_POLL_MS = 20;

/** How long a caller waits for its turn. Ten times the longest batch that was measured. */
const WAIT_MS_MAX = 60_000;

/** Between tries: short enough for a thousand small transactions a second, random so that nobody starves. */
const RETRY_MS_LEAST = 1;
const RETRY_MS_MOST = 8;

/** Proof of holding the lock. A holder that was taken for dead may still run: it asks before each write. */
export interface HeldLock {
  isStillHeld(): boolean;
  /** Whether the holder before did not release it: it died, or it stands still and may yet wake up in the middle of a write. */
  readonly isTakenOver: boolean;
}

/** Callers of one process queue here, so that only one of them at a time races other processes for the lock. */
const queues = new Map<string, Promise<unknown>>();

/**
 * Runs `work` while no other thread or process of this host runs work on the same directory (contract §7). Throws
 * JobError LOCK_UNAVAILABLE when its turn does not come within a minute.
 */
export async function withDirectoryLock<T>(directory: string, clock: Clock, work: (lock: HeldLock) => Promise<T>): Promise<T> {
  const path = lockPathOf(directory);
  const before = queues.get(path) ?? Promise.resolve();
  const turn = before.then(
    () => lockAndRun(path, directory, clock, work),
    () => lockAndRun(path, directory, clock, work),
  );
  queues.set(path, turn);
  try {
    return await turn;
  } finally {
    if (queues.get(path) === turn) queues.delete(path);
  }
}

async function lockAndRun<T>(path: string, directory: string, clock: Clock, work: (lock: HeldLock) => Promise<T>): Promise<T> {
  let isCompromised = false;
  const release = await acquire(path, directory, clock, () => {
    isCompromised = true;
  });
  const token = randomToken();
  const tokenFile = `${path}.holder`;
  // proper-lockfile cannot tell a holder that another took its lock over until its next renewal. The newest holder's
  // token can: whoever finds another's token there has lost the lock.
  const isTakenOver = existsSync(tokenFile);
  try {
    writeToken(tokenFile, token);
  } catch (cause) {
    await release().catch(() => undefined);
    throw unavailable(directory, `cannot write ${tokenFile} (${String(codeOf(cause))})`, cause);
  }
  const isStillHeld = (): boolean => !isCompromised && holderOf(tokenFile) === token;
  try {
    return await work({ isStillHeld, isTakenOver });
  } finally {
    if (isStillHeld()) {
      rmSync(tokenFile, { force: true });
      await release().catch(() => undefined);
    } else {
      await releaseIfOurs(release, () => isCompromised);
    }
  }
}

function writeToken(tokenFile: string, token: string): void {
  try {
    writeFileSync(tokenFile, token);
  } catch {
    // A holder that died as another user left a file that we may not write, in a directory where we may replace it.
    rmSync(tokenFile, { force: true });
    writeFileSync(tokenFile, token);
  }
}

/**
 * Without its token a holder does not know whose lock it is. Releasing another's would let a third in; keeping its own
 * would renew it for as long as this process lives, and shut everybody out. The next renewal tells.
 */
async function releaseIfOurs(release: () => Promise<void>, isCompromised: () => boolean): Promise<void> {
  for (let waitedMs = 0; waitedMs < 2 * RENEW_MS && !isCompromised(); waitedMs += RENEW_POLL_MS) {
    await pauseBetween(RENEW_POLL_MS, RENEW_POLL_MS);
  }
  if (!isCompromised()) await release().catch(() => undefined);
}

function holderOf(tokenFile: string): string | undefined {
  try {
    return readFileSync(tokenFile, "utf8");
  } catch {
    // Swept away with /tmp: then we cannot show that we hold it, and must not write.
    return undefined;
  }
}

async function acquire(path: string, directory: string, clock: Clock, onCompromised: () => void): Promise<() => Promise<void>> {
  const { lock } = await import("proper-lockfile");
  const startedAt = clock.monotonic();
  let seen = { renewedAt: Number.NaN, since: startedAt };
  for (;;) {
    try {
      return await lock(path, { realpath: false, stale: STALE_MS, update: RENEW_MS, onCompromised, fs: swiftFs });
    } catch (cause) {
      const code = codeOf(cause);
      if (code !== "ELOCKED" && code !== "ENOENT") throw unavailable(directory, String(cause), cause);
      // Another took over the same dead holder's lock and removed ours with it, or /tmp was swept: make the way and try again.
      if (code === "ENOENT") lockPathOf(directory);
    }
    const waitedMs = clock.monotonic() - startedAt;
    if (waitedMs > WAIT_MS_MAX) throw unavailable(directory, `another process has held it for ${Math.round(waitedMs / 1000)} s`);
    seen = declareDeadIfSilent(path, clock.monotonic(), seen);
    await pauseBetween(RETRY_MS_LEAST, RETRY_MS_MOST);
  }
}

/**
 * What proper-lockfile asks of the file system, without the way through the thread pool, which takes longer than any of
 * these calls: a tenth of an uncontended claim.
 */
const swiftFs = {
  mkdir: atOnce(mkdirSync),
  rmdir: atOnce(rmdirSync),
  rmdirSync,
  stat: atOnce(statSync),
  utimes: atOnce(utimesSync),
};

type Callback = (error: unknown, result?: unknown) => void;

/** A call with a callback, as Node has them, that is over when it returns. */
function atOnce<Args extends unknown[]>(call: (...args: Args) => unknown): (...args: [...Args, Callback]) => void {
  return (...args) => {
    const callback = args.pop() as Callback;
    let result: unknown;
    try {
      result = call(...(args as unknown as Args));
    } catch (error) {
      callback(error);
      return;
    }
    callback(null, result);
  };
}

interface LastRenewal {
  readonly renewedAt: number;
  /** Monotonic ms at which this renewal was first seen. */
  readonly since: number;
}

/**
 * proper-lockfile judges age by the wall clock, so after the clock went back a dead holder's lock would look young for
 * as long as it went back. A lock that is not renewed while we watch is dead whatever its date says: date it back.
 */
function declareDeadIfSilent(path: string, nowMs: number, seen: LastRenewal): LastRenewal {
  const renewedAt = statSync(`${path}.lock`, { throwIfNoEntry: false })?.mtimeMs ?? Number.NaN;
  if (renewedAt !== seen.renewedAt) return { renewedAt, since: nowMs };
  if (nowMs - seen.since > 2 * STALE_MS) dateBack(`${path}.lock`);
  return seen;
}

function dateBack(path: string): void {
  try {
    utimesSync(path, 0, 0);
  } catch {
    // Gone meanwhile, or another user's, whom we cannot help: the wait ends with LOCK_UNAVAILABLE.
  }
}

/**
 * Where the lock of a directory lies: outside the work tree, the same for every process of the host. `TMPDIR` differs
 * between a login and a cron job, so on POSIX it is not asked.
 */
export function lockPathOf(directory: string): string {
  const root = join(platform() === "win32" ? tmpdir() : "/tmp", "harness-wake-locks");
  try {
    mkdirSync(root, { recursive: true });
    // Agents of one host may run as different users and still share a fleet.
    if (statSync(root).uid === ownUserId()) chmodSync(root, 0o777);
  } catch (cause) {
    throw unavailable(directory, `cannot use ${root} (${String(codeOf(cause))})`, cause);
  }
  return join(root, createHash("sha256").update(realPathOf(directory)).digest("hex").slice(0, 32));
}

function realPathOf(directory: string): string {
  try {
    return realpathSync(directory);
  } catch (cause) {
    throw new JobError("CONFIG", `${directory}: is not there; make it, or name the jobs directory with --jobs-dir`, {
      file: directory,
      cause,
    });
  }
}

function unavailable(directory: string, why: string, cause?: unknown): JobError {
  return new JobError("LOCK_UNAVAILABLE", `${directory}: cannot lock this directory: ${why}. Nothing was changed; try again`, {
    file: directory,
    cause,
  });
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
