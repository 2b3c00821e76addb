import type { WakeMail } from "./wake-mail.ts";

/** How many mails wait for a reader that is at work. Past it the streams wait too, and the hosts keep the rest. */
const WAITING_MAX = 1_000;

/** Mails that came in and were not given out yet. */
export class MailQueue {
  #mails: WakeMail[] = [];
  #change = Promise.withResolvers<void>();

  get isFull(): boolean {
    return this.#mails.length >= WAITING_MAX;
  }

  push(mail: WakeMail): void {
    this.#mails.push(mail);
    this.poke();
  }

  take(): WakeMail | undefined {
    const mail = this.#mails.shift();
    if (mail !== undefined) this.poke();
    return mail;
  }

  takeAll(): readonly WakeMail[] {
    const mails = this.#mails;
    this.#mails = [];
    this.poke();
    return mails;
  }

  /** Resolves at the next push, take or poke. */
  changed(): Promise<void> {
    return this.#change.promise;
  }

  /** Lets everyone look again who waits for a change. */
  poke(): void {
    this.#change.resolve();
    this.#change = Promise.withResolvers<void>();
  }
}
