import type { Git } from "./git.ts";

export interface GitObject {
  readonly type: string;
  readonly bytes: Buffer;
}

export interface TreeEntry {
  /** `100644`, `100755`, `120000`, `40000` … */
  readonly mode: string;
  readonly id: string;
}

/**
 * Reads objects by name, like `<commit>:<path>`, in one git process. An object that is not there is undefined; so is
 * everything where git itself failed, which the caller sees by the commit it asked for being missing.
 */
export async function readObjects(git: Git, names: readonly string[]): Promise<readonly (GitObject | undefined)[]> {
  if (names.length === 0) return [];
  const { stdoutBytes } = await git.run(["cat-file", "--batch"], names.map((name) => `${name}\n`).join(""));
  const objects: (GitObject | undefined)[] = [];
  for (let at = 0; at < stdoutBytes.length && objects.length < names.length; ) {
    const lineEnd = stdoutBytes.indexOf(LINE_FEED, at);
    if (lineEnd === -1) break;
    const header = /^[0-9a-f]{40,64} (\w+) (\d+)$/.exec(stdoutBytes.toString("utf8", at, lineEnd));
    const size = Number(header?.[2] ?? 0);
    objects.push((header?.[1] && { type: header[1], bytes: stdoutBytes.subarray(lineEnd + 1, lineEnd + 1 + size) }) || undefined);
    // Contents end with a line feed of their own; an answer without contents is its line alone.
    at = header === null ? lineEnd + 1 : lineEnd + 1 + size + 1;
  }
  return names.map((_, i) => objects[i]);
}

const LINE_FEED = 0x0a;
const SPACE = 0x20;
const NUL = 0x00;

/** The entries of a tree object by name. Ids are as long as the repository's hash, told by the commit's id. */
export function parseTree(bytes: Buffer, idHexLength: number): ReadonlyMap<string, TreeEntry> {
  const idBytes = idHexLength / 2;
  const entries = new Map<string, TreeEntry>();
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(SPACE, at);
    const nul = bytes.indexOf(NUL, space);
    const name = bytes.toString("utf8", space + 1, nul);
    const id = bytes.toString("hex", nul + 1, nul + 1 + idBytes);
    entries.set(name, { mode: bytes.toString("latin1", at, space), id });
    at = nul + 1 + idBytes;
  }
  return entries;
}
