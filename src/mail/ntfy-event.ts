/** One line of a poll or a stream. There are more events than `message`, and later versions add to them. */
export interface NtfyEvent {
  readonly event: string;
  /** Where to go on from after a cut. Undefined where it is none that `since` could carry. */
  readonly id: string | undefined;
  readonly message: unknown;
}

/** `since` also takes words, times and durations; nothing of that length is one. */
const MESSAGE_ID = /^[A-Za-z0-9]{12,64}$/;

/** Undefined for a line that is no event: truncated, a proxy's page, anything. */
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
