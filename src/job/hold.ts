/** `CURSOR_QUOTA_HOLD`, or one that an owner adds. */
export type HoldName = `${string}_HOLD`;

export function isHoldName(text: string): text is HoldName {
  return /^[A-Z][A-Z0-9_]*_HOLD$/.test(text);
}

/** An owner's routing rule that shuts every carrier of a harness family (contract §5). */
export interface HoldRule {
  /** `CURSOR_QUOTA_HOLD`: the state that held jobs answer, and the carrier of their receipts. */
  readonly name: HoldName;
  /** A name is covered when, folded, it contains one of these. */
  readonly match: readonly string[];
  readonly note: string;
}

/** On by default. Only the owner's committed config can lift it, so no caller may edit it either. */
export const CURSOR_QUOTA_HOLD: HoldRule = Object.freeze({
  name: "CURSOR_QUOTA_HOLD",
  match: Object.freeze(["cursor", "grokbot", "issue1316"]),
  note: "Cursor quota is the owner's to spend: no road to a Cursor carrier is open.",
});

/** Folds a name so that spelling cannot slip past a hold: NFKC, lower case, letters and digits only. */
export function foldName(name: string): string {
  // Every harness of every due job is folded, and nearly all are ASCII, where NFKC changes nothing.
  if (ASCII.test(name)) return name.toLowerCase().replace(/[^a-z0-9]/g, "");
  return name
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "");
}

const ASCII = /^[ -~]*$/;

/** The first hold that covers any of the names, in the order of the rules; the built-in one comes first. */
export function findHold(rules: readonly HoldRule[], names: readonly string[]): HoldRule | undefined {
  const folded = names.map(foldName);
  return rules.find((rule) => rule.match.some((part) => folded.some((name) => name.includes(foldName(part)))));
}
