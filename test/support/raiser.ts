import { systemClock } from "../../src/facts/clock.ts";
import { FileJobStore } from "../../src/store/file-job-store.ts";
import { raise } from "./raise.ts";

/** Raises a job's `step` by one, again and again, and says so each time that it was told that it did. */
const [directory = "", jobId = ""] = process.argv.slice(2);

const store = new FileJobStore({ directory, clock: systemClock });

let isOver = false;
process.on("message", () => {
  isOver = true;
});
process.on("disconnect", () => process.exit());

while (!isOver) {
  const raised = await raise(store, jobId);
  await new Promise((resolve) => process.send?.(raised ? "raised" : "refused", undefined, undefined, resolve));
}
process.disconnect();
