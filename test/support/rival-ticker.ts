import { systemClock } from "../../src/facts/clock.ts";
import { randomIds } from "../../src/facts/ids.ts";
import { FileJobStore } from "../../src/store/file-job-store.ts";
import { runTick } from "../../src/wake/run-tick.ts";
import { FakePages } from "./fake-pages.ts";
import { LineLog } from "./line-log.ts";
import { noHolds } from "./no-holds.ts";

/**
 * A rival: `{now}` arms it, `"go"` lets it tick the directory. Whatever tells a harness to run its model goes into the
 * log first, one write a line: that log is what was seen, whatever the job files say.
 */
const [directory = "", log = ""] = process.argv.slice(2);

export type RivalAnswer = { readonly reasons: Readonly<Record<string, string>> } | { readonly thrown: string };
export type RivalMessage = "armed" | RivalAnswer;

const invoked = new LineLog<string>(log);
let now = 0;
const clock = { now: () => now, monotonic: systemClock.monotonic };
const store = new FileJobStore({ directory, clock });
const ports = { store, pages: new FakePages(), holds: noHolds, clock, ids: randomIds };

process.on("message", (message: { readonly now: number } | "go") => {
  if (message === "go") {
    tick().then(answer, (error: unknown) => answer({ thrown: String(error) }));
  } else {
    now = message.now;
    answer("armed");
  }
});
process.on("disconnect", () => process.exit());

async function tick(): Promise<RivalAnswer> {
  const summary = await runTick(ports, { workerId: `rival-${process.pid}` });
  for (const row of summary.jobs) {
    if (row.invoke_model) invoked.append(row.attempt_id ?? "");
  }
  return { reasons: Object.fromEntries(summary.jobs.map(({ job_id, reason }) => [job_id, reason])) };
}

function answer(message: RivalMessage): void {
  process.send?.(message);
}
