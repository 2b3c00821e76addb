import { JobError } from "../errors/job-error.ts";
import type { Job } from "../job/job.ts";
import { type MailOutcome, withDelivery } from "../job/moves/delivery.ts";
import type { Seconds } from "../job/time.ts";
import type { Letter, Mailer } from "../mail/mailer.ts";
import { formatMail, mailFor } from "../mail/wake-mail.ts";
import type { Found, JobStore, Outcome, Step } from "../store/job-store.ts";
import type { Delivery } from "./summary.ts";

const PRIORITY_DEFAULT = 3;

/** The letter of a job that a pass has just offered. Undefined where there is nothing to claim. */
export function letterFor(job: Job): Letter | undefined {
  const mail = mailFor(job);
  if (mail === undefined) return undefined;
  return {
    attempt_id: mail.attempt_id,
    message: formatMail(mail),
    title: `Wake ${mail.attempt_id} (${job.harness})`,
    tags: ["alarm_clock"],
    priority: PRIORITY_DEFAULT,
  };
}

/**
 * Sends the letters of jobs whose wake is durable, and notes what became of each (contract §4). A crash in between
 * sends a letter again, which is harmless.
 */
export async function sendLetters(
  store: JobStore,
  mailer: Mailer,
  letters: ReadonlyMap<string, Letter>,
  now: Seconds,
): Promise<readonly Delivery[]> {
  if (letters.size === 0) return [];
  const sent = await mailer.send([...letters.values()]);
  const outcomes = new Map(
    [...letters].flatMap(([jobId, { attempt_id }]) => {
      const outcome = sent.get(attempt_id);
      return outcome === undefined ? [] : [[jobId, { attempt_id, outcome }] as const];
    }),
  );
  const note = ({ job, job_id }: Found): Step<void> => {
    const delivery = outcomes.get(job_id);
    if (job === undefined || delivery === undefined) return { answer: undefined };
    const { attempt_id, outcome } = delivery;
    return {
      answer: undefined,
      write: { job: withDelivery(job, attempt_id, outcome, now), note: `${outcome.carrier} ${attempt_id}` },
    };
  };
  const noted = await noteAll(store, [...outcomes.keys()], note);
  return [...outcomes].map(([jobId, { attempt_id, outcome }]) => deliveryOf(jobId, attempt_id, outcome, noted.get(jobId)?.error));
}

/** The mail has gone: a store that cannot note it now is an error of each delivery, and must not hide the others. */
async function noteAll(
  store: JobStore,
  jobIds: readonly string[],
  note: (found: Found) => Step<void>,
): Promise<ReadonlyMap<string, Outcome<void>>> {
  try {
    return await store.transact(jobIds, note);
  } catch (error) {
    if (!(error instanceof JobError)) throw error;
    return new Map(jobIds.map((jobId) => [jobId, { error }]));
  }
}

function deliveryOf(job_id: string, attempt_id: string, outcome: MailOutcome, unnoted: JobError | undefined): Delivery {
  const { carrier, host, http_status, error } = outcome;
  const why = unnoted === undefined ? error : `the mail's receipt could not be written: ${unnoted.message}`;
  return {
    ok: carrier === "MAIL" && unnoted === undefined,
    state: carrier,
    job_id,
    attempt_id,
    host,
    ...(http_status !== null && { http_status }),
    ...(why !== undefined && { error: why }),
  };
}
