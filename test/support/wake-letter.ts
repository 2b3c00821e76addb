import type { Letter } from "../../src/mail/mailer.ts";
import { formatMail, type WakeMail } from "../../src/mail/wake-mail.ts";

/** A wake mail of the job with that number. `until` tells one offer of its attempt from another. */
export function wakeMail(number: number, until = "2026-11-30T12:00:00Z"): WakeMail {
  const job_id = `mailed-job-${number}`;
  const attempt_id = `${job_id}-a01`;
  return {
    from: "HARNESS_WAKE",
    to: "OWNER",
    id: job_id,
    job_id,
    attempt_id,
    harness: "script",
    body: `Attempt ${attempt_id} is offered until ${until}. Claim it before you run anything.`,
  };
}

export function wakeLetter(number: number): Letter {
  const mail = wakeMail(number);
  return {
    attempt_id: mail.attempt_id,
    message: formatMail(mail),
    title: `Wake ${mail.attempt_id} (schön)`,
    tags: ["alarm_clock"],
    priority: 3,
  };
}

export function wakeLetters(count: number): readonly Letter[] {
  return Array.from({ length: count }, (_, number) => wakeLetter(number));
}
