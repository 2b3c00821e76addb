/**
 * The text of bytes that ought to be UTF-8; undefined where they are not. UTF-16 with a byte order mark is understood as
 * well, since PowerShell writes it when it redirects (contract §2). A byte order mark of UTF-8 stays in the text.
 */
export function decodeText(bytes: Buffer): string | undefined {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return strictly("utf-16le", bytes);
  if (first === 0xfe && second === 0xff) return strictly("utf-16be", bytes);
  const text = bytes.toString("utf8");
  // U+FFFD is what a byte becomes that is not UTF-8, unless it is really in the text.
  return text.includes("\uFFFD") && strictly("utf-8", bytes) === undefined ? undefined : text;
}

function strictly(encoding: string, bytes: Buffer): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
