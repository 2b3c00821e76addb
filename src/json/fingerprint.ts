import { hash } from "node:crypto";
import type { Json } from "./json.ts";
import { formatCanonical } from "./lossless-json.ts";

/** sha256 over the value's canonical JSON: 64 lower-case hex digits (contract §2). */
export function sha256Of(value: Json): string {
  return hash("sha256", formatCanonical(value), "hex");
}

/** The first 16 hex digits of a sha256: what `_fp` and `fingerprint` fields hold (contract §2). */
export function shortFingerprint(sha256: string): string {
  return sha256.slice(0, 16);
}

/** A text's sha256 as a Content-Security-Policy writes it. */
export function policyHashOf(text: string): string {
  return `sha256-${hash("sha256", text, "base64")}`;
}
