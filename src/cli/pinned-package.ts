import { join, relative, resolve } from "node:path";
import { readBoundedFile } from "../facts/read-bounded-file.ts";

/** A package of npm that a workflow installs, and where the repository pins it. */
export interface PinnedPackage {
  /** From the top of the repository; "" for the top itself. */
  readonly directory: string;
  /** The files that pin it, by their paths from the top; undefined where nothing pins it yet. */
  readonly pinnedBy: readonly string[] | undefined;
}

/**
 * Never a name from a registry alone: whoever owns that name would run with the right to push. A lockfile says which package
 * it is, by its hash, and `npm ci` installs nothing else. Where the repository's own lockfile does not pin the package, one in
 * `ownDirectory` has to.
 */
export function findPinnedPackage(root: string, name: string, ownDirectory: string): PinnedPackage {
  for (const directory of ["", ownDirectory]) {
    const pinnedBy = filesThatPin(root, directory, name);
    if (pinnedBy !== undefined) return { directory, pinnedBy };
  }
  return { directory: ownDirectory, pinnedBy: undefined };
}

/** The line that installs it. No script of a package runs. */
export function installLine({ directory }: PinnedPackage): string {
  return `npm ci --ignore-scripts${directory === "" ? "" : ` --prefix ${directory}`}`;
}

/** Where npm puts it. */
export function nodeModules({ directory }: PinnedPackage): string {
  return `${directory === "" ? "" : `${directory}/`}node_modules`;
}

/** A lockfile of a large workspace fits. */
const LOCKFILE_BYTES_MAX = 64 * 1024 * 1024;

/** What pins a package in a directory of the repository, if that is something that a runner can get. */
function filesThatPin(root: string, directory: string, name: string): readonly string[] | undefined {
  const lock = readLockfile(join(root, directory, "package-lock.json"));
  const entry = fieldOf(fieldOf(lock, "packages"), `node_modules/${name}`);
  if (!isText(fieldOf(entry, "integrity"))) return undefined;
  const files = ["package.json", "package-lock.json"].map((file) => join(directory, file));
  const resolved = fieldOf(entry, "resolved");
  const file = isText(resolved) ? /^file:(.*)$/.exec(resolved)?.[1] : undefined;
  if (file === undefined) return files;
  const path = relative(root, resolve(root, directory, file));
  // A package that was installed from elsewhere on this machine is not there on a runner.
  return path.startsWith("..") ? undefined : [...files, path];
}

function readLockfile(path: string): unknown {
  try {
    const found = readBoundedFile(path, LOCKFILE_BYTES_MAX);
    return found.kind === "content" ? JSON.parse(found.bytes.toString()) : undefined;
  } catch {
    // No lockfile, or one that npm could not read either: it pins nothing.
    return undefined;
  }
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function fieldOf(value: unknown, field: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, field) : undefined;
}
