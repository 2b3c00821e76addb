import { JobError } from "../../errors/job-error.ts";
import type { Clock } from "../../facts/clock.ts";
import type { Pause } from "../../facts/pause.ts";
import type { Seconds } from "../../job/time.ts";
import type { LeaseClock } from "./lease-clock.ts";

/** What a renewal came to: the lease stands, or why the run must stop. */
export type Renewal =
  /** `until` is the lease's end, in seconds. */
  { readonly kind: "renewed"; readonly until: Seconds } | { readonly kind: "lost"; readonly why: string };

export interface LeaseKeeping {
  readonly lease: LeaseClock;
  readonly clock: Pick<Clock, "monotonic">;
  readonly pause: Pause;
  /** Throws JobError where the store cannot be reached. */
  readonly renew: () => Promise<Renewal>;
  /** Called at most once, when another answer than RENEWED says that the run must stop. */
  readonly onLost: (why: string) => void;
}

/**
 * Renews a lease while its run goes on: every third of it, and sooner after a try that did not reach the store. Whoever
 * calls it stops the run at `lease.stopAtMs` by itself: a call to the store may hang for longer than that. Never throws.
 */
export async function keepLease(keeping: LeaseKeeping, signal: AbortSignal): Promise<void> {
  const { lease, clock, pause, renew, onLost } = keeping;
  let waitMs = lease.renewEveryMs;
  for (;;) {
    await pause(waitMs, waitMs, signal);
    if (signal.aborted) return;
    const calledAtMs = clock.monotonic();
    try {
      const renewal = await renew();
      // A run that ended meanwhile has nothing to lose any more.
      if (signal.aborted) return;
      if (renewal.kind === "lost") return onLost(renewal.why);
      lease.renewed(calledAtMs, renewal.until);
      waitMs = lease.renewEveryMs;
    } catch (error) {
      if (!(error instanceof JobError)) throw error;
      waitMs = lease.retryEveryMs;
    }
  }
}
