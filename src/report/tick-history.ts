import type { Job } from "../job/job.ts";
import { countOf } from "../job/mail-grace.ts";
import { attemptNumber } from "../job/offer.ts";
import { isByTick, isEvent } from "../job/receipt.ts";
import { parseTime, type Seconds } from "../job/time.ts";

/** A wake, and when a finish had said that it should be. */
export interface KnownWake {
  readonly job_id: string;
  readonly attempt_id: string;
  readonly due: Seconds;
  readonly at: Seconds;
}

/** What job files still tell of past ticks. A tick that found nothing to do has left nothing in them. */
export interface TickHistory {
  /** When a tick wrote something, each moment once, earliest first. */
  readonly passes: readonly Seconds[];
  /** In no order. */
  readonly wakes: readonly KnownWake[];
}

/** Pure. */
export function tickHistoryOf(jobs: readonly Job[]): TickHistory {
  const passes = new Set<Seconds>();
  for (const { event_receipts } of jobs) {
    for (const receipt of event_receipts) {
      const at = isByTick(receipt) ? parseTime(receipt.ts) : undefined;
      if (at !== undefined) passes.add(at);
    }
  }
  return { passes: [...passes].sort((a, b) => a - b), wakes: jobs.flatMap(knownWakes) };
}

/**
 * Wakes that followed a finish with nothing between that would have held them back. A wake that was offered again bears the
 * time of the last offer; one on an unchanged checkpoint came after a back-off that no receipt tells.
 */
function knownWakes(job: Job): readonly KnownWake[] {
  const { job_id, event_receipts } = job;
  return event_receipts.flatMap((receipt, i) => {
    const before = event_receipts[i - 1];
    if (!isEvent(receipt, "wake") || countOf(receipt) !== 1 || before === undefined || !isEvent(before, "ack")) return [];
    const { next_wake_at } = before;
    const due = typeof next_wake_at === "string" ? parseTime(next_wake_at) : undefined;
    const at = parseTime(receipt.ts);
    if (due === undefined || at === undefined || at < due) return [];
    const { attempt_id } = receipt;
    if (attemptNumber(attempt_id, job_id) === undefined || !hasMoved(job, before.attempt_id, attempt_id)) return [];
    return [{ job_id, attempt_id, due, at }];
  });
}

function hasMoved(job: Job, from: string, to: string): boolean {
  const [earlier, later] = [wokenAt(job, from), wokenAt(job, to)];
  return earlier !== undefined && later !== undefined && earlier !== later;
}

/** The fingerprint of the checkpoint that an attempt was woken with, as far as it is noted. */
function wokenAt(job: Job, attempt_id: string): string | undefined {
  const claim = job.event_receipts.findLast((receipt) => receipt.attempt_id === attempt_id && isEvent(receipt, "delivery_claim"));
  const latest = job.event_receipts.findLast((receipt) => isEvent(receipt, "wake"));
  const noted =
    claim?.["wake_checkpoint_sha256"] ?? (latest?.attempt_id === attempt_id ? job.last_wake_checkpoint_sha256 : undefined);
  return typeof noted === "string" ? noted : undefined;
}
