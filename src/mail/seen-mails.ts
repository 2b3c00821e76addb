import type { WakeMail } from "./wake-mail.ts";

/** Far more than a topic caches in its twelve hours; a mail that is forgotten and comes again is a REPLAY for who claims it. */
const SEEN_MAX = 10_000;

/**
 * The mails that were given out, so that each is given once, whichever hosts and replays bring it. Told apart by attempt
 * and by body, which names the end of the lease: a repeated offer of the same attempt is a mail of its own.
 */
export class SeenMails {
  readonly #keys = new Set<string>();

  /** Whether the mail is new. It no longer is after that. */
  add(mail: WakeMail): boolean {
    const key = `${mail.attempt_id}\n${mail.body}`;
    const isNew = !this.#keys.delete(key);
    // Deleted and added again, it stands last: what still comes in is forgotten last.
    this.#keys.add(key);
    if (this.#keys.size > SEEN_MAX) for (const oldest of this.#keys.values().take(1)) this.#keys.delete(oldest);
    return isNew;
  }
}
