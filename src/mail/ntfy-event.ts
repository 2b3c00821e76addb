/** One line of a poll or a stream. `message` is one event of several, and later versions of ntfy add more. */
export interface NtfyEvent {
  readonly event: string;
  /** What `since` may be set to. Undefined if it is no message's id. */
  readonly id: string | undefined;
  readonly message: unknown;
}

/** `since` also takes words, times and durations. None of them has this length. */
const MESSAGE_ID = /^[A-Za-z0-9]{12,64}$/;

/** Undefined for a line that is no event, like half a line or the page of a proxy. */
export function parseEvent(line: string): NtfyEvent | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null || !("event" in value) || typeof value.event !== "string") return undefined;
  const id = "id" in value && typeof value.id === "string" && MESSAGE_ID.test(value.id) ? value.id : undefined;
  return { event: value.event, id, message: "message" in value ? value.message : undefined };
}
