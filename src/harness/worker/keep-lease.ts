import { JobError } from "../../errors/job-error.ts";
import type { Seconds } from "../../job/time.ts";
import type { RunTiming } from "../enclosure/run-enclosed.ts";
import type { LeaseClock } from "./lease-clock.ts";

/** What a renewal came to: the lease stands, or why the run must stop. */
export type Renewal =
  /** `until` is the lease's end, in seconds. */
  { readonly kind: "renewed"; readonly until: Seconds } | { readonly kind: "lost"; readonly why: string };

/** When a run must be asked to end, in monotonic milliseconds, and why. */
export interface RunLimit {
  readonly atMs: number;
  readonly why: string;
}

/** A lease that is renewed until it is let go. */
export interface KeptLease {
  /** No run may start after it. It moves with each renewal. */
  readonly limit: () => RunLimit;
  /** Aborted when another answer than RENEWED says that the lease is lost. */
  readonly lost: AbortSignal;
  /** How long stopping a run may take, in milliseconds. */
  readonly graceMs: number;
  /** Ends the renewals; waits for one under way. */
  readonly letGo: () => Promise<void>;
}

/**
 * Renews a lease from its claim on, also while its run is being prepared: every third of it, and sooner after a try that did
 * not reach the store. Whoever keeps it stops the run at `limit` by itself: a call to the store may hang for longer than that.
 * `renew` throws JobError where the store cannot be reached.
 */
export function keepLease(lease: LeaseClock, { clock, pause }: RunTiming, renew: () => Promise<Renewal>): KeptLease {
  const lost = new AbortController();
  const over = new AbortController();
  let whyLost: string | undefined;

  const keep = async (): Promise<void> => {
    let waitMs = Math.max(0, lease.renewAtMs - clock.monotonic());
    for (;;) {
      await pause(waitMs, waitMs, over.signal);
      if (over.signal.aborted) return;
      const calledAtMs = clock.monotonic();
      try {
        const renewal = await renew();
        // A run that ended meanwhile has nothing to lose any more.
        if (over.signal.aborted) return;
        if (renewal.kind === "lost") {
          whyLost = renewal.why;
          return lost.abort();
        }
        lease.renewed(calledAtMs, renewal.until);
        waitMs = Math.max(0, lease.renewAtMs - clock.monotonic());
      } catch (error) {
        if (!(error instanceof JobError)) throw error;
        waitMs = lease.retryEveryMs;
      }
    }
  };

  const keeping = keep();
  return {
    limit: () =>
      whyLost === undefined
        ? { atMs: lease.stopAtMs, why: "its lease was not renewed in time" }
        : { atMs: Number.NEGATIVE_INFINITY, why: whyLost },
    lost: lost.signal,
    graceMs: lease.graceMs,
    letGo: () => {
      over.abort();
      return keeping;
    },
  };
}
