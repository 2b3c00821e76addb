import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The processes in whose environment or arguments a secret stands: `<pid> environ`, `<pid> cmdline`. */
export function processesThatHold(secret: string): readonly string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => ["environ", "cmdline"].map((file) => ({ what: `${pid} ${file}`, path: `/proc/${pid}/${file}` })))
    .flatMap(({ what, path }) => (textOf(path).includes(secret) ? [what] : []));
}

/** The files below a directory in which a secret stands. */
export function filesThatHold(secret: string, directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    const path = join(entry.parentPath, entry.name);
    return entry.isFile() && textOf(path).includes(secret) ? [path] : [];
  });
}

/** What is gone by now, or another's, holds nothing that we could tell. */
function textOf(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
