/**
 * The text of the first `length` bytes, which ought to be UTF-8; undefined where they are not. UTF-16 with a byte order mark is understood as
 * well, since PowerShell writes it when it redirects (contract §2). A byte order mark of UTF-8 stays in the text.
 */
export function decodeText(bytes: Buffer, length = bytes.length): string | undefined {
  if (length > 1 && bytes[0] === 0xff && bytes[1] === 0xfe) return strictly("utf-16le", bytes.subarray(0, length));
  if (length > 1 && bytes[0] === 0xfe && bytes[1] === 0xff) return strictly("utf-16be", bytes.subarray(0, length));
  const text = bytes.toString("utf8", 0, length);
  // U+FFFD is what a byte becomes that is not UTF-8, unless it is really in the text.
  return text.includes("\uFFFD") && strictly("utf-8", bytes.subarray(0, length)) === undefined ? undefined : text;
}

function strictly(encoding: string, bytes: Buffer): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
