import { join, relative, resolve } from "node:path";
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
  if (isPinnedIn(root, root)) return { install: ["npm ci --ignore-scripts"], command: "node_modules/.bin/harness-wake" };
  const found = {
    install: [`npm ci --ignore-scripts --prefix ${OWN_DIRECTORY}`],
    command: `${OWN_DIRECTORY}/node_modules/.bin/harness-wake`,
  };
  if (isPinnedIn(join(root, OWN_DIRECTORY), root)) return found;
  const npm = `npm install --prefix ${OWN_DIRECTORY} --package-lock-only --ignore-scripts --save-exact ${OWN_DIRECTORY}/<package>.tgz`;
  return {
    ...found,
    pin: `Pin the program that the workflow runs: put its package into ${OWN_DIRECTORY} (npm pack makes one), run ${npm}, and commit that directory.`,
  };
}

/** A lockfile of a large workspace fits. */
const LOCKFILE_BYTES_MAX = 64 * 1024 * 1024;

/** Whether the lockfile of a directory pins the program, as something that a runner can get. */
function isPinnedIn(directory: string, root: string): boolean {
  try {
    const found = readBoundedFile(join(directory, "package-lock.json"), LOCKFILE_BYTES_MAX);
    if (found.kind !== "content") return false;
    const lock: unknown = JSON.parse(found.bytes.toString());
    const entry = fieldOf(fieldOf(lock, "packages"), "node_modules/harness-wake");
    return isText(fieldOf(entry, "integrity")) && isWithinReach(fieldOf(entry, "resolved"), directory, root);
  } catch {
    // No lockfile, or one that npm could not read either: nothing is pinned.
    return false;
  }
}

/** A package that was installed from a file elsewhere on this machine is not there on a runner. */
function isWithinReach(resolved: unknown, directory: string, root: string): boolean {
  if (!isText(resolved)) return false;
  const file = /^file:(.*)$/.exec(resolved)?.[1];
  return file === undefined || !relative(root, resolve(directory, file)).startsWith("..");
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function fieldOf(value: unknown, field: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, field) : undefined;
}
