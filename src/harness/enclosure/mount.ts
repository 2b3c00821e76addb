import { realpathSync } from "node:fs";
import { errnoOf } from "../../errors/io-error.ts";
import type { EnvironmentVariables } from "../../facts/process-environment.ts";

/** A directory or file that a run sees otherwise than read-only, or read-only inside one that it may write. */
export interface Mount {
  /** Absolute, links resolved. One that is not there is left out; a directory with access `none` must be there. */
  readonly path: string;
  /** `none`: a directory that is empty for the run, but for what is mounted inside it. */
  readonly access: "write" | "read" | "none";
}

/**
 * What a run of its user's gets, below what its workspace and its program say: the home, where tools keep their caches and their
 * logins, and the socket of the user's ssh agent where the run is told of one. `env` is the run's.
 */
export function userMounts(env: EnvironmentVariables): readonly Mount[] {
  const home = realPathOf(env["HOME"]);
  const socket = realPathOf(env["SSH_AUTH_SOCK"]);
  return [
    // Who has no home of its own may be told `/`.
    ...(home === undefined || home === "/" ? [] : [{ path: home, access: "write" } as const]),
    ...(socket === undefined ? [] : [{ path: socket, access: "read" } as const]),
  ];
}

/** What no run sees: the worker's own directory, with the claims of all runs in it. */
export function stateMounts(stateDirectory: string): readonly Mount[] {
  const state = realPathOf(stateDirectory);
  return state === undefined ? [] : [{ path: state, access: "none" }];
}

function realPathOf(path: string | undefined): string | undefined {
  if (path === undefined || path === "") return undefined;
  try {
    return realpathSync(path);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}
