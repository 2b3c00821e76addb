import type { WakeMail } from "./wake-mail.ts";

/** Why a host gives no mail. */
export interface InboxTrouble {
  /** Its origin, like `https://ntfy.sh`. */
  readonly host: string;
  /** Null where no answer came. */
  readonly http_status: number | null;
  readonly error: string;
}

/**
 * The mails that wake a harness, each given once, even if several hosts carry it (contract §4). A mail is a hint: only a claim
 * says whether the attempt can be taken.
 */
export interface Inbox {
  /** The mails since the last call; the first call gives all that the hosts still hold. A host that fails does not make it throw. */
  poll(): Promise<readonly WakeMail[]>;
  /** The mails as they arrive, until the signal aborts or the reader leaves the loop. A host that fails does not make it throw. */
  listen(signal: AbortSignal): AsyncIterable<WakeMail>;
}
