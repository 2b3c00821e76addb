import type { WakeMail } from "./wake-mail.ts";

/** Far more than a topic caches in its twelve hours. A mail that was forgotten and comes again is harmless: its claim is a REPLAY. */
const SEEN_MAX = 10_000;

/**
 * The mails that were given out, so that each is given once, even if several hosts or replays bring it. A mail is known by its
 * attempt and its body. The body names the end of the lease, so a repeated offer of the same attempt is another mail.
 */
export class SeenMails {
  readonly #keys = new Set<string>();

  /** Notes the mail, and says whether it was new. */
  add(mail: WakeMail): boolean {
    const key = `${mail.attempt_id}\n${mail.body}`;
    const isNew = !this.#keys.delete(key);
    // Deleted and added again, so that the mails that still arrive are forgotten last.
    this.#keys.add(key);
    if (this.#keys.size > SEEN_MAX) for (const oldest of this.#keys.values().take(1)) this.#keys.delete(oldest);
    return isNew;
  }
}
