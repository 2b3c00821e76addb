import type { MailOutcome } from "../job/moves/delivery.ts";

/** One mail to send. `title`, `tags` and `priority` are for people; a harness reads the message alone. */
export interface Letter {
  readonly attempt_id: string;
  readonly message: string;
  readonly title: string;
  readonly tags: readonly string[];
  readonly priority: number;
}

/** Sends the mails of one pass (contract §4). */
export interface Mailer {
  /**
   * What became of each letter, by attempt_id; a letter that the pass's time did not reach is FAILED with the error
   * `not reached`. Never throws for a host that misbehaves.
   */
  send(letters: readonly Letter[]): Promise<ReadonlyMap<string, MailOutcome>>;
}
