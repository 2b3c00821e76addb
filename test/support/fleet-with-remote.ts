import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { addRemote, commitAll, freshRepository } from "./git-repository.ts";

export interface FleetWithRemote {
  /** The checkout. */
  readonly directory: string;
  /** The bare repository behind its `origin`. */
  readonly remote: string;
}

/** A repository with a config, an empty jobs directory and a bare remote that holds its first commit. */
export function fleetWithRemote(config: object): FleetWithRemote {
  const directory = freshRepository();
  mkdirSync(join(directory, "wake_jobs"));
  writeFileSync(join(directory, "wake_jobs/.gitignore"), "_last_tick.json\n");
  writeFileSync(join(directory, "harness-wake.json"), JSON.stringify(config));
  commitAll(directory, "a fleet");
  return { directory, remote: addRemote(directory) };
}
