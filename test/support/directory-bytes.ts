import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

/** Every regular file below a directory with its bytes, one character a byte, so that two of them can be compared. */
export function directoryBytes(directory: string): Readonly<Record<string, string>> {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((entry) => relative(directory, join(entry.parentPath, entry.name))).sort();
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(directory, path), "latin1")]));
}

/** The same of a jobs directory, without what is no job: `_last_tick.json`, which every pass may write, and the lock. */
export function jobBytes(jobsDirectory: string): Readonly<Record<string, string>> {
  const isOurs = (path: string): boolean => path === "_last_tick.json" || path.startsWith(".lock.d/");
  return Object.fromEntries(Object.entries(directoryBytes(jobsDirectory)).filter(([path]) => !isOurs(path)));
}
