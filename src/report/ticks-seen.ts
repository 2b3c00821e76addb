import type { Job } from "../job/job.ts";
import { EVENTS } from "../job/receipt.ts";
import { parseTime, type Seconds } from "../job/time.ts";

/** When ticks came that changed something, as the receipts that they wrote tell: each moment once, the earliest first. Pure. */
export function ticksIn(jobs: readonly Job[], span: { readonly since: Seconds; readonly until: Seconds }): readonly Seconds[] {
  const moments = jobs.flatMap(({ event_receipts }) =>
    event_receipts.flatMap(({ event, ts }) => {
      const at = isTicks(event) ? parseTime(ts) : undefined;
      return at !== undefined && at >= span.since && at <= span.until ? [at] : [];
    }),
  );
  return [...new Set(moments)].sort((a, b) => a - b);
}

function isTicks(event: string): boolean {
  return Object.entries(EVENTS).some(([name, { writer }]) => name === event && writer === "tick");
}
