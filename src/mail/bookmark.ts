interface Mark {
  readonly id: string;
  /** Monotonic ms. */
  readonly at: number;
}

/** How far behind the last message a reading begins again. A host writes a message to its cache within a second or so. */
const LAG_MS = 60_000;

/**
 * Where the next reading of a host begins. ntfy sends a message to its streams before it writes it to its cache. So a message
 * that a stream just missed may come into the cache after later ones were heard, and `since` the last of them would pass it over.
 */
export class Bookmark {
  #id = "all";
  /** Of the messages that are too young to begin after: one of the first, and the last. */
  #next: Mark | undefined;
  #last: Mark | undefined;

  /** Notes a message that came just now. */
  note(id: string, now: number): void {
    this.#last = { id, at: now };
    this.#next ??= this.#last;
  }

  /** For ntfy's `since`: a message that came at least a minute ago, or `all`. */
  since(now: number): string {
    for (const mark of [this.#next, this.#last]) {
      if (mark === undefined || now - mark.at < LAG_MS) continue;
      this.#id = mark.id;
      this.#next = mark === this.#last ? undefined : this.#last;
    }
    return this.#id;
  }
}
