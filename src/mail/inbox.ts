import type { WakeMail } from "./wake-mail.ts";

/** A host that does not give mail. */
export interface InboxTrouble {
  /** Its origin, like `https://ntfy.sh`. */
  readonly host: string;
  /** Null where no answer came. */
  readonly http_status: number | null;
  readonly error: string;
}

/**
 * The mails that wake a harness, each given once, whichever hosts carry it (contract §4). What is given is a hint and no
 * right: only a claim says whether the attempt is there to take.
 */
export interface Inbox {
  /** The mails that came since the last call; the first call gives all that the hosts still hold. Never throws for a host. */
  poll(): Promise<readonly WakeMail[]>;
  /** The mails as they come, until the signal ends it or the reader leaves the loop. Never throws for a host. */
  listen(signal: AbortSignal): AsyncIterable<WakeMail>;
}
