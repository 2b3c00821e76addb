import { sha256Of } from "../../json/fingerprint.ts";
import { type Json, numberText } from "../../json/json.ts";
import type { BlockerKind } from "../job.ts";
import { normalizeTime } from "../time.ts";

/** What a claimant brings when its attempt is over. Checked by the caller; the checkpoint is as the harness gave it. */
export interface Outcome {
  readonly checkpoint?: Readonly<Record<string, unknown>>;
  /** RFC 3339. */
  readonly nextWakeAt?: string;
  readonly result?: Json;
  readonly resultAddress?: string;
  /** What the harness cannot get past by itself; never together with a result. */
  readonly blocker?: { readonly kind: BlockerKind; readonly detail: string };
}

/** What a call amounts to, by value: a repeated call is known by it, however its numbers were written. */
export function outcomeSha256({ checkpoint, nextWakeAt, result, resultAddress, blocker }: Outcome): string {
  return sha256Of({
    checkpoint: checkpoint === undefined ? null : byValue(checkpoint),
    next_wake_at: nextWakeAt === undefined ? null : normalizeTime(nextWakeAt),
    result: result === undefined ? null : [byValue(result)],
    result_address: resultAddress ?? null,
    // Left out where there is none, so that an ACK of before blockers is known again.
    ...(blocker !== undefined && { blocker: { kind: blocker.kind, detail: blocker.detail } }),
  });
}

function byValue(value: unknown): Json {
  if (typeof value === "number" && !Number.isFinite(value)) return `${value}`;
  const text = typeof value === "bigint" ? `${value}` : numberText(value);
  if (text !== undefined && /^-?\d+$/.test(text)) return JSON.rawJSON(`${BigInt(text)}`);
  // `1e400` counts as the Infinity that it is handed out as.
  if (text !== undefined) return Number.isFinite(Number(text)) ? Number(text) : `${Number(text)}`;
  if (Array.isArray(value)) return value.map(byValue);
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(
      Object.entries(value).flatMap(([key, entry]) => (entry === undefined ? [] : [[key, byValue(entry)]])),
    );
  }
  return typeof value === "string" || typeof value === "boolean" ? value : null;
}
