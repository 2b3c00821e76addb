import { existsSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { JobError } from "../../errors/job-error.ts";

/** What this package ships for the adapter. */
export interface PackageFiles {
  /** What has to be readable for the runner to start: the package with the packages beside it. */
  readonly readable: string;
  /** The manifest of the runtime, and its lockfile. */
  readonly manifest: string;
  readonly lockfile: string;
  /** The program that a run is. */
  readonly runner: string;
}

/**
 * Finds them from where this module lies: in the sources, in the library, or in a part of the command line's bundle. Throws
 * JobError CONFIG where the package is not whole.
 */
export function findPackageFiles(from = import.meta.dirname): PackageFiles {
  for (let root = from; ; root = dirname(root)) {
    const lockfile = join(root, "cursor", "package-lock.json");
    if (existsSync(lockfile)) return { ...filesIn(root, from), lockfile };
    if (root === dirname(root)) {
      throw new JobError(
        "CONFIG",
        `${from}: harness-wake is not whole here, cursor/package-lock.json is missing; install it again`,
      );
    }
  }
}

function filesIn(root: string, from: string): Omit<PackageFiles, "lockfile"> {
  const isSource = from.startsWith(join(root, "src") + sep);
  const [nearest] = /^.*?\/node_modules(?=\/)/.exec(root) ?? [root];
  return {
    readable: nearest,
    manifest: join(root, "cursor", "package.json"),
    runner: isSource ? join(root, "src/harness/cursor/runner.ts") : join(root, "dist/harness/cursor/runner.js"),
  };
}
