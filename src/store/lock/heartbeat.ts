import { mkdirSync, rmdirSync, statSync, utimesSync } from "node:fs";
import { later } from "../../facts/pause.ts";

/** Most turns are over by then, and give no sign of life. */
const FIRST_BEAT_MS = 1_000;
const BEAT_MS = 1_000;

/**
 * Shows others that a long holder lives. From the first second on it keeps a directory, which proper-lockfile makes, touches
 * once a second and removes. Each holder has one of its own, so no two ever want the same: who holds the lock is not
 * proper-lockfile's to decide. Answers with what ends the heartbeat.
 */
export function startHeartbeat(path: string, isStillHeld: () => boolean): () => Promise<void> {
  let beating: Promise<() => Promise<void>> | undefined;
  const cancel = later(FIRST_BEAT_MS, () => {
    beating = beat(path, isStillHeld);
  });
  return async () => {
    cancel();
    const end = await beating;
    await end?.();
  };
}

/** Failing is no error: at worst the holder is taken for dead, loses its turn and takes another. */
async function beat(path: string, isStillHeld: () => boolean): Promise<() => Promise<void>> {
  const nothing = async (): Promise<void> => undefined;
  try {
    if (!isStillHeld()) return nothing;
    const { lock } = await import("proper-lockfile");
    const options = { realpath: false, lockfilePath: path, update: BEAT_MS, onCompromised: () => undefined, fs: swiftFs };
    const release = await lock(path, options);
    return () => release().catch(nothing);
  } catch {
    return nothing;
  }
}

/** What proper-lockfile asks of the file system, past the thread pool: the fsyncs of a slow disk fill that, and stop the heart. */
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
