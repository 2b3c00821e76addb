/** What a check found. Trouble is what needs a person; a note is worth knowing and may be meant. */
export interface Finding {
  readonly level: "ok" | "note" | "trouble";
  readonly found: string;
  readonly means?: string;
  readonly remedy?: Remedy;
}

/** A line for a shell that mends it, or what only a person can decide or do. */
export type Remedy =
  | { readonly command: string; readonly decision?: never }
  | { readonly decision: string; readonly command?: never };

export function ok(found: string): Finding {
  return { level: "ok", found };
}

export function note(found: string, means: string, remedy?: Remedy): Finding {
  return { level: "note", found, means, ...(remedy !== undefined && { remedy }) };
}

export function trouble(found: string, means: string, remedy: Remedy): Finding {
  return { level: "trouble", found, means, remedy };
}
