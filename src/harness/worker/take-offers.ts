import { claimAttempt } from "../../callback/consume-delivery.ts";
import { JobError } from "../../errors/job-error.ts";
import type { Clock } from "../../facts/clock.ts";
import { randomToken } from "../../facts/ids.ts";
import type { Fleet } from "../../fleet.ts";
import { isLeaseLive } from "../../job/job.ts";
import { latestOffer } from "../../job/offer.ts";
import type { Seconds } from "../../job/time.ts";
import { mailFor, type WakeMail } from "../../mail/wake-mail.ts";
import { ownLife } from "../enclosure/worker-life.ts";
import type { AttemptRecord, AttemptRecords } from "./attempt-record.ts";
import type { OwnClaim } from "./run-files.ts";
import type { Claimant } from "./settle.ts";

/** An attempt that this worker took. */
export interface TakenOffer {
  readonly claim: OwnClaim;
  readonly record: AttemptRecord;
  /** Monotonic milliseconds: when the claim was first tried. Its lease is counted from there. */
  readonly claimedAtMs: number;
}

/** What a look at the store found. */
export interface Offers {
  readonly mails: readonly WakeMail[];
  /** By how many seconds this machine's clock is at least behind that of whoever ticks. */
  readonly clockBehind: Seconds;
}

/** A clock that is further behind would write leases that end earlier than the worker counts on; its offers are left alone. */
export const CLOCK_BEHIND_MAX: Seconds = 5;

/** Finds what a fleet offers to a harness, and claims it. */
export class OfferTaker {
  readonly #fleet: Fleet;
  readonly #claimant: Claimant;
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #records: AttemptRecords;
  /** Claims whose answer was lost, by attempt: the same claim_id again is known as ours. */
  readonly #tried = new Map<string, { readonly claimId: string; readonly atMs: number }>();

  constructor(fleet: Fleet, claimant: Claimant, clock: Pick<Clock, "monotonic">, records: AttemptRecords) {
    this.#fleet = fleet;
    this.#claimant = claimant;
    this.#clock = clock;
    this.#records = records;
  }

  /** What the store offers to this harness now. Broken files are others' to tell of. Throws JobError where it cannot be read. */
  async look(): Promise<Offers> {
    const now = this.#fleet.clock.now();
    const mails: WakeMail[] = [];
    let clockBehind: Seconds = 0;
    for (const { job } of await this.#fleet.store.scan()) {
      if (job === undefined || job.harness !== this.#claimant.harness || !isLeaseLive(job, now)) continue;
      const mail = mailFor(job);
      if (mail === undefined) continue;
      const behind = (latestOffer(job)?.at ?? now) - now;
      clockBehind = Math.max(clockBehind, behind);
      if (behind <= CLOCK_BEHIND_MAX) mails.push(mail);
    }
    return { mails, clockBehind };
  }

  /**
   * Claims one offer. Undefined where it is another's, or the job's state forbids it. Throws JobError where the store cannot
   * be asked; the same offer may be tried again then.
   */
  async take(mail: WakeMail): Promise<TakenOffer | undefined> {
    const { job_id, attempt_id } = mail;
    const tried = this.#tried.get(attempt_id) ?? { claimId: `claim-${randomToken()}`, atMs: this.#clock.monotonic() };
    this.#tried.set(attempt_id, tried);
    const { workerId, harness } = this.#claimant;
    const record: AttemptRecord = {
      claim: { job_id, attempt_id, claim_id: tried.claimId },
      worker_id: workerId,
      harness,
      worker: ownLife(),
    };
    // First, so that whoever finds a claim without its worker can give it up.
    this.#records.put(record);
    const answer = await claimAttempt(this.#fleet, mail, { workerId, harness, claimId: tried.claimId });
    this.#tried.delete(attempt_id);
    if (answer.invoke_model) return { claim: answer, record, claimedAtMs: tried.atMs };
    this.#records.remove(attempt_id);
    return undefined;
  }
}

/** Whether an error is the store's or the disk's, which may be better in a moment. */
export function isPassing(error: unknown): error is JobError {
  return error instanceof JobError && error.code !== "SCHEMA" && error.code !== "USAGE";
}
