import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { commitAll, freshRepository, git } from "./fresh-repository.ts";
import { tempDirectory } from "./temp-directory.ts";

export interface FleetWithRemote {
  /** The checkout. */
  readonly directory: string;
  /** The bare repository behind its `origin`. */
  readonly remote: string;
}

/** A repository with a config, an empty jobs directory and a bare remote that holds its first commit. */
export function fleetWithRemote(config: object): FleetWithRemote {
  const remote = tempDirectory();
  git(remote, "init", "-q", "--bare", "-b", "main");
  const directory = freshRepository();
  mkdirSync(join(directory, "wake_jobs"));
  writeFileSync(join(directory, "wake_jobs/.gitignore"), "_last_tick.json\n");
  writeFileSync(join(directory, "harness-wake.json"), JSON.stringify(config));
  commitAll(directory, "a fleet");
  git(directory, "remote", "add", "origin", remote);
  git(directory, "push", "-q", "origin", "main");
  return { directory, remote };
}
