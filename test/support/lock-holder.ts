import { systemClock } from "../../src/facts/clock.ts";
import { withDirectoryLock } from "../../src/store/directory-lock.ts";

/** Takes the lock of a directory, says so, and never gives it back. */
const [directory = ""] = process.argv.slice(2);

// Something to wait for, or the process would end by itself and release the lock.
process.on("message", () => undefined);

await withDirectoryLock(directory, systemClock, () => {
  process.send?.("held");
  return new Promise<never>(() => undefined);
});
