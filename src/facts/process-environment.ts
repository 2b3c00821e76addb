import { hostname } from "node:os";

export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/** The one place that reads the process's own surroundings. */
export function environmentVariables(): EnvironmentVariables {
  return process.env;
}

/** Removes variables from this process's own environment, and from that of whatever it starts. */
export function forgetVariables(names: RegExp): void {
  for (const name of Object.keys(process.env)) if (names.test(name)) delete process.env[name];
}

export function workingDirectory(): string {
  return process.cwd();
}

/** The Node that this process runs on. */
export interface OwnNode {
  /** Where its program is. */
  readonly path: string;
  /** Like `24.1.0`. */
  readonly version: string;
}

export function ownNode(): OwnNode {
  return { path: process.execPath, version: process.versions.node };
}

/** How many cells a line of the terminal on stdout has; undefined where it does not say. */
export function terminalColumns(): number | undefined {
  // Some terminals say 0 for not knowing.
  return process.stdout.columns || undefined;
}

/** Who ticks or claims when nobody says: the host's name. */
export function defaultWorkerId(): string {
  return hostname();
}

/** The user that this runs as, by number: a container's user may have no name. Undefined where users have no numbers. */
export function ownUserId(): number | undefined {
  return process.getuid?.();
}
