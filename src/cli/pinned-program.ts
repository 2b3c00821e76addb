import { join } from "node:path";
import { readBoundedFile } from "../facts/read-bounded-file.ts";

/** How a workflow gets the program: by what a lockfile in the repository pins, with its hash. */
export interface PinnedProgram {
  readonly install: readonly string[];
  readonly command: string;
  /** What somebody has to do first, where nothing pins it yet. */
  readonly pin?: string;
}

/** Where a workflow looks for a lockfile of its own, if the repository's does not pin the program. */
const OWN_DIRECTORY = ".github/harness-wake";

/**
 * Never a name from a registry alone: whoever owns that name would run with the right to push. The lockfile says which
 * package it is, by its hash, and `npm ci` installs nothing else; no script of a package runs.
 */
export function findPinnedProgram(root: string): PinnedProgram {
  if (isPinnedIn(root)) return { install: ["npm ci --ignore-scripts"], command: "node_modules/.bin/harness-wake" };
  const found = {
    install: [`npm ci --ignore-scripts --prefix ${OWN_DIRECTORY}`],
    command: `${OWN_DIRECTORY}/node_modules/.bin/harness-wake`,
  };
  if (isPinnedIn(join(root, OWN_DIRECTORY))) return found;
  const npm = `npm install --prefix ${OWN_DIRECTORY} --package-lock-only --ignore-scripts --save-exact`;
  return {
    ...found,
    pin: `Pin the program that the workflow runs: ${npm} <the package that you run now: its tarball or address>; and commit ${OWN_DIRECTORY}/package.json and package-lock.json.`,
  };
}

/** A lockfile of a large workspace fits. */
const LOCKFILE_BYTES_MAX = 64 * 1024 * 1024;

function isPinnedIn(directory: string): boolean {
  try {
    const found = readBoundedFile(join(directory, "package-lock.json"), LOCKFILE_BYTES_MAX);
    if (found.kind !== "content") return false;
    const lock: unknown = JSON.parse(found.bytes.toString());
    return hasIntegrity(lock);
  } catch {
    // No lockfile, or one that npm could not read either: nothing is pinned.
    return false;
  }
}

function hasIntegrity(lock: unknown): boolean {
  const packages = fieldOf(lock, "packages");
  const integrity = fieldOf(fieldOf(packages, "node_modules/harness-wake"), "integrity");
  return typeof integrity === "string" && integrity !== "";
}

function fieldOf(value: unknown, field: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, field) : undefined;
}
