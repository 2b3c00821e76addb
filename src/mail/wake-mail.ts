import { isTerminal, type Job, momentOf } from "../job/job.ts";
import { isJobId } from "../job/job-id.ts";
import { attemptNumber, isClaimed, latestOffer } from "../job/offer.ts";
import { HARNESS, OWNER_CLAIM } from "../job/patterns.ts";
import { formatTime } from "../job/time.ts";

/**
 * The body of a wake's mail (contract §4). An ntfy topic may be public, so it names the attempt and carries nothing that
 * gives power over it or tells what it is about: no lease_id, no checkpoint, no objective.
 */
export interface WakeMail {
  readonly from: "HARNESS_WAKE";
  readonly to: string;
  readonly id: string;
  readonly job_id: string;
  readonly attempt_id: string;
  readonly harness: string;
  readonly body: string;
}

const SENDER = "HARNESS_WAKE";

/** A mail longer than this is no message any more: ntfy turns it into an attachment. */
export const MAIL_BYTES_MAX = 4095;

/**
 * The mail of the job's latest attempt, whether or not it was ever sent: a harness that polls the store claims with it.
 * Undefined where there is nothing to claim: never woken, claimed already, terminal, or no lease to take over.
 */
export function mailFor(job: Job): WakeMail | undefined {
  const offer = latestOffer(job);
  if (offer === undefined || job.lease === null || isTerminal(job.status) || isClaimed(job, offer.attempt_id)) return undefined;
  const { job_id, harness, owner_claim } = job;
  // Only an edit by hand can make it another job's; then there is nothing that a claim would take.
  if (attemptNumber(offer.attempt_id, job_id) === undefined) return undefined;
  return {
    from: SENDER,
    to: owner_claim,
    id: job_id,
    job_id,
    attempt_id: offer.attempt_id,
    harness,
    // The end of the lease tells a repeated offer from a copy of the same mail, without giving the lease away.
    body: `Attempt ${offer.attempt_id} is offered until ${formatTime(momentOf(job.lease.until))}. Claim it before you run anything.`,
  };
}

/** The message as it is sent: one compact JSON object. Its parts are bounded by the schema, far under the limit. */
export function formatMail(mail: WakeMail): string {
  return JSON.stringify(mail);
}

/** Reads a mail that came back from anywhere; trusts nothing of it. Undefined for whatever is not a mail of ours. */
export function parseMail(input: unknown): WakeMail | undefined {
  try {
    return checkMail(typeof input === "string" ? parseMessage(input) : input);
  } catch {
    // A getter or proxy that throws, or text that is no JSON: not a mail of ours.
    return undefined;
  }
}

function parseMessage(text: string): unknown {
  return Buffer.byteLength(text) <= MAIL_BYTES_MAX ? JSON.parse(text) : undefined;
}

function checkMail(input: unknown): WakeMail | undefined {
  if (typeof input !== "object" || input === null) return undefined;
  const { from, to, id, job_id, attempt_id, harness, body } = input as Readonly<Record<string, unknown>>;
  if (from !== SENDER || id !== job_id) return undefined;
  if (typeof job_id !== "string" || !isJobId(job_id)) return undefined;
  if (typeof attempt_id !== "string" || attemptNumber(attempt_id, job_id) === undefined) return undefined;
  if (typeof to !== "string" || !OWNER_CLAIM.test(to)) return undefined;
  if (typeof harness !== "string" || !HARNESS.test(harness) || typeof body !== "string") return undefined;
  const mail: WakeMail = { from: SENDER, to, id: job_id, job_id, attempt_id, harness, body };
  return Buffer.byteLength(formatMail(mail)) <= MAIL_BYTES_MAX ? mail : undefined;
}
