import type { WakeMail } from "./wake-mail.ts";

/** How many mails are kept for a reader that is busy. When it is full the streams pause, and the hosts keep the rest. */
const WAITING_MAX = 1_000;

/** Mails that have arrived and were not given out yet. */
export class MailQueue {
  #mails: WakeMail[] = [];
  #change = Promise.withResolvers<void>();

  get isFull(): boolean {
    return this.#mails.length >= WAITING_MAX;
  }

  push(mail: WakeMail): void {
    this.#mails.push(mail);
    this.signal();
  }

  take(): WakeMail | undefined {
    const mail = this.#mails.shift();
    if (mail !== undefined) this.signal();
    return mail;
  }

  takeAll(): readonly WakeMail[] {
    const mails = this.#mails;
    this.#mails = [];
    this.signal();
    return mails;
  }

  /** Resolves at the next push, take or signal. */
  changed(): Promise<void> {
    return this.#change.promise;
  }

  /** Resolves what {@link changed} gave, so that everyone who waits looks again. */
  signal(): void {
    this.#change.resolve();
    this.#change = Promise.withResolvers<void>();
  }
}
