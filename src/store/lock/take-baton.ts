import type { Clock } from "../../facts/clock.ts";
import { pauseBetween } from "../../facts/pause.ts";
import { lifeSignOf } from "../../facts/process-life.ts";
import { FREE, heartbeatName, holderOf } from "./baton.ts";
import type { LockDirectory } from "./lock-directory.ts";
import { lockUnavailable } from "./lock-unavailable.ts";

/** How long a caller waits for its turn. Ten times the longest batch that was measured. */
const WAIT_MS_MAX = 60_000;

/** A holder that gives no sign of life for so long, five heartbeats, is taken for dead wherever it runs. */
const SILENT_MS_MAX = 5_000;

/** A look may miss a baton that is being renamed. Nobody misses it again and again for so long. */
const MISSING_MS_MAX = 1_000;

/** Between tries: short enough for a thousand small transactions a second, random so that nobody starves. */
const RETRY_MS_LEAST = 1;
const RETRY_MS_MOST = 8;

/** A round is repeated only when a rival meddles at that very moment. */
const ROUNDS_MAX = 8;

/**
 * Renames the baton to `own`. Each step is a rename that names its source, so that of many who try the same step one
 * succeeds. Throws JobError LOCK_UNAVAILABLE after a minute.
 *
 * 1. The baton is free: take it.
 * 2. There is no lock directory: make it, and try again.
 * 3. The holder is dead, or has been silent for too long: take the baton over.
 * 4. The holder works: wait.
 * 5. The baton has been missing for too long: make one. A holder that lost it finds out before its next write.
 */
export async function takeBaton(place: LockDirectory, own: string, jobsDirectory: string, clock: Clock): Promise<void> {
  const startedAtMs = clock.monotonic();
  let seen = { what: "", sinceMs: startedAtMs };
  for (;;) {
    place.requireSound();
    if (place.pass(FREE, own) && begin(place, own, jobsDirectory)) return; // 1
    const look = place.look();
    const held = look?.batons.find((name) => name !== FREE);
    const nowMs = clock.monotonic();
    const what = held === undefined ? String(look?.batons) : `${held} ${lastBeat(place, held)}`;
    if (what !== seen.what) seen = { what, sinceMs: nowMs };
    const unchangedMs = nowMs - seen.sinceMs;
    if (look === undefined) {
      await place.make(); // 2
    } else if (held !== undefined) {
      const isDead = unchangedMs > SILENT_MS_MAX || isShownDead(held);
      if (isDead && place.pass(held, own) && begin(place, own, jobsDirectory)) return; // 3
    } else if (look.batons.length === 0 && unchangedMs > MISSING_MS_MAX) {
      await place.remakeBaton(); // 5
    }
    const waitedMs = nowMs - startedAtMs;
    if (waitedMs > WAIT_MS_MAX) throw lockUnavailable(jobsDirectory, whoHolds(held, waitedMs));
    await pauseBetween(RETRY_MS_LEAST, RETRY_MS_MOST); // 4
  }
}

/**
 * Makes sure that a turn is the only one: takes away every other baton, and removes the temp files of the holders before.
 * Such a holder may stand still just before its rename, and go on later; without its temp file the rename fails. False where
 * the baton was lost meanwhile.
 */
function begin(place: LockDirectory, own: string, jobsDirectory: string): boolean {
  try {
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const look = place.look();
      if (look === undefined) return false;
      const others = look.batons.filter((name) => name !== own);
      for (const other of others) place.pass(other, own);
      if (others.length > 0) continue;
      if (look.batons.length === 0) return requireOurs(place, own, jobsDirectory);
      place.sweep(look);
      return true;
    }
  } catch (error) {
    place.pass(own, FREE);
    throw error;
  }
  place.pass(own, FREE);
  return false;
}

/** A baton that no look shows is lost, or is no regular file: then somebody else made it. */
function requireOurs(place: LockDirectory, own: string, jobsDirectory: string): false {
  if (!place.has(own)) return false;
  throw lockUnavailable(jobsDirectory, `${place.pathOf(FREE)} is no regular file, so this program did not make it; remove it`);
}

function lastBeat(place: LockDirectory, held: string): number | undefined {
  const holder = holderOf(held);
  return holder && place.lastBeatOf(heartbeatName(holder.token));
}

function isShownDead(held: string): boolean {
  const life = holderOf(held)?.life;
  return life !== undefined && lifeSignOf(life) === "dead";
}

function whoHolds(held: string | undefined, waitedMs: number): string {
  const pid = held === undefined ? undefined : holderOf(held)?.life?.pid;
  const who = pid === undefined ? "others have" : `others have, now process ${pid},`;
  return `${who} held it for ${Math.round(waitedMs / 1000)} s`;
}
