import { parentPort } from "node:worker_threads";
import { systemClock } from "../../src/facts/clock.ts";
import { withDirectoryLock } from "../../src/store/directory-lock.ts";

/** Takes the lock of a directory, says so, and never gives it back: as a process, or as a thread of one. */
const [directory = ""] = process.argv.slice(2);

// Something to wait for, or the process would end by itself and release the lock.
process.on("message", () => undefined);
parentPort?.on("message", () => undefined);

await withDirectoryLock(directory, { clock: systemClock }, () => {
  process.send?.("held");
  parentPort?.postMessage("held");
  return new Promise<never>(() => undefined);
});
