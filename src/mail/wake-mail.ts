import { isTerminal, type Job, momentOf } from "../job/job.ts";
import { attemptNumber, isClaimed, latestOffer } from "../job/offer.ts";
import { HARNESS, JOB_ID, OWNER_CLAIM } from "../job/patterns.ts";
import { formatTime } from "../job/time.ts";
import { z } from "../json/zod.ts";

/**
 * The body of a wake's mail (contract §4). An ntfy topic may be public, so it names the attempt and nothing that gives
 * control over it or says what it is about: no lease_id, no checkpoint, no objective, no instructions.
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

/** ntfy turns a longer message into an attachment. */
export const MAIL_BYTES_MAX = 4095;

/**
 * The mail of the job's latest attempt, even if it was never sent: a harness that polls the store claims with it. Undefined if
 * there is nothing to claim: never woken, claimed already, terminal, or without a lease.
 */
export function mailFor(job: Job): WakeMail | undefined {
  const offer = latestOffer(job);
  if (offer === undefined || job.lease === null || isTerminal(job.status) || isClaimed(job, offer.attempt_id)) return undefined;
  const { job_id, harness, owner_claim } = job;
  // A wake of another job can only come from an edit by hand. No claim would take it.
  if (attemptNumber(offer.attempt_id, job_id) === undefined) return undefined;
  return {
    from: SENDER,
    to: owner_claim,
    id: job_id,
    job_id,
    attempt_id: offer.attempt_id,
    harness,
    // A reader tells a repeated offer from a copy of the same mail by the end of the lease. The lease_id stays secret.
    body: `Attempt ${offer.attempt_id} is offered until ${formatTime(momentOf(job.lease.until))}. Claim it before you run anything.`,
  };
}

/** The message as it is sent: one compact JSON object. The schema bounds its parts, so that it stays far under the limit. */
export function formatMail(mail: WakeMail): string {
  return JSON.stringify(mail);
}

/** Checks a mail from outside. Undefined for anything that is not a mail of ours. */
export function parseMail(input: unknown): WakeMail | undefined {
  try {
    return checkMail(typeof input === "string" ? parseMessage(input) : input);
  } catch {
    // A text that is no JSON, or an object whose getter throws.
    return undefined;
  }
}

function parseMessage(text: string): unknown {
  return Buffer.byteLength(text) <= MAIL_BYTES_MAX ? JSON.parse(text) : undefined;
}

/** Built for the first mail that is read: a tick writes mails alone. */
let mailSchema: ReturnType<typeof buildMailSchema> | undefined;

function checkMail(input: unknown): WakeMail | undefined {
  mailSchema ??= buildMailSchema();
  const { data: mail } = mailSchema.safeParse(input);
  if (mail === undefined || mail.id !== mail.job_id || attemptNumber(mail.attempt_id, mail.job_id) === undefined)
    return undefined;
  return Buffer.byteLength(formatMail(mail)) <= MAIL_BYTES_MAX ? mail : undefined;
}

/** What a mail holds; what else stands in one is left out. Its ids must fit each other besides. */
export function buildMailSchema() {
  const jobId = z.string().check(z.regex(JOB_ID));
  return z.object({
    from: z.literal(SENDER),
    to: z.string().check(z.regex(OWNER_CLAIM)),
    id: jobId,
    job_id: jobId,
    attempt_id: z.string().check(z.regex(/-a\d{2,7}$/)),
    harness: z.string().check(z.regex(HARNESS)),
    body: z.string(),
  });
}
