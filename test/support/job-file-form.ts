/**
 * What keeps a text from being a job file as contract §2 wants it written: two-space indent, keys sorted, one trailing
 * newline. Undefined when nothing does. Reads lines, and shares no code with the writer that it judges.
 */
export function faultOfJobFileForm(text: string): string | undefined {
  if (!/^\{\n/.test(text)) return "does not open with {";
  if (!/\n\}\n$/.test(text)) return "does not end with } and one newline";
  if (/[^\n\x20-\u{10ffff}]/u.test(text)) return "holds a control character";
  const lastKeys: (string | undefined)[] = [];
  let depth = 0;
  for (const line of text.slice(0, -1).split("\n")) {
    const [, spaces = "", body = ""] = /^( *)(.*)$/u.exec(line) ?? [];
    if (/^[}\]]/.test(body)) depth--;
    if (spaces.length !== depth * 2) return `indents by ${spaces.length} where ${depth * 2} is due: ${line}`;
    const key = /^("(?:[^"\\]|\\.)*"): \S/u.exec(body)?.[1];
    if (key !== undefined) {
      const name: string = JSON.parse(key);
      const last = lastKeys[depth];
      if (last !== undefined && !isBefore(last, name)) return `has ${name} after ${last}`;
      lastKeys[depth] = name;
    }
    if (/[[{]$/.test(body)) lastKeys[++depth] = undefined;
  }
  return depth === 0 ? undefined : "does not close what it opens";
}

/** By code point, as UTF-8 bytes sort. */
function isBefore(a: string, b: string): boolean {
  return Buffer.compare(Buffer.from(a), Buffer.from(b)) < 0;
}
