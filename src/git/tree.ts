export interface TreeEntry {
  /** `100644`, `100755`, `120000`, `40000` … */
  readonly mode: string;
  readonly id: string;
}

/** The entries of a directory by their names. */
export type Tree = ReadonlyMap<string, TreeEntry>;

const SPACE = 0x20;
const NUL = 0x00;

/** Reads a tree object; undefined where the bytes are none. Ids are as long as the repository's hash. */
export function parseTree(bytes: Buffer, idHexLength: number): Tree | undefined {
  const idBytes = idHexLength / 2;
  const entries = new Map<string, TreeEntry>();
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(SPACE, at);
    const nul = bytes.indexOf(NUL, space);
    const next = nul + 1 + idBytes;
    const mode = bytes.toString("latin1", at, space);
    if (space === -1 || nul === -1 || next > bytes.length || !/^[0-7]{5,6}$/.test(mode)) return undefined;
    entries.set(bytes.toString("utf8", space + 1, nul), { mode, id: bytes.toString("hex", nul + 1, next) });
    at = next;
  }
  return entries;
}

export function isDirectory({ mode }: TreeEntry): boolean {
  return mode === "40000";
}

export function isRegularFile({ mode }: TreeEntry): boolean {
  return mode.startsWith("100");
}

/** What an entry is, in words. */
export function kindOf({ mode }: TreeEntry): string {
  if (mode === "120000") return "a symbolic link";
  if (mode === "160000") return "a submodule";
  return mode === "40000" ? "a directory" : "a file";
}
