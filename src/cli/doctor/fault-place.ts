import type { JobError } from "../../errors/job-error.ts";

export interface FaultPlace {
  /** Both count from 1. */
  readonly line: number;
  readonly column: number;
}

/** Where in its text a broken job file's fault is: at what the parser stumbled over, or at the field that breaks a rule. */
export function placeOfFault(text: string, { message, field }: Pick<JobError, "message" | "field">): FaultPlace | undefined {
  if (field !== undefined) {
    const at = indexOfField(text, field.split("."));
    return at === undefined ? undefined : placeOf(text, at);
  }
  // V8 tells line and column itself, and they stand in the message already.
  if (/\(line \d+ column \d+\)/.test(message)) return undefined;
  const position = /at position (\d+)/.exec(message)?.[1];
  if (position !== undefined) return placeOf(text, Number(position));
  return message.includes("Unexpected end of JSON input") ? placeOf(text, text.length) : undefined;
}

function placeOf(text: string, index: number): FaultPlace {
  const before = text.slice(0, index).split("\n");
  return { line: before.length, column: (before.at(-1) ?? "").length + 1 };
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]/g;

/** Where the key of that path stands in a text that is JSON, as every text is that has a field at fault; undefined where it does not. A field that is missing has no place. */
function indexOfField(text: string, path: readonly string[]): number | undefined {
  const keys: string[] = [];
  let last: { readonly text: string; readonly index: number } | undefined;
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (token === "{" || token === "[") keys.push("");
    else if (token === "}" || token === "]") keys.pop();
    else if (token === ":" && last !== undefined && keys.length > 0) {
      keys[keys.length - 1] = last.text;
      if (keys.join(".") === path.join(".")) return last.index;
    }
    last = token.startsWith('"') ? { text: token.slice(1, -1), index } : undefined;
  }
  return undefined;
}
