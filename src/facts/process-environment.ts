import { hostname } from "node:os";

export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/** The one place that reads the process's own surroundings. */
export function environmentVariables(): EnvironmentVariables {
  return process.env;
}

export function workingDirectory(): string {
  return process.cwd();
}

/** Who ticks or claims when nobody says: the host's name. */
export function defaultWorkerId(): string {
  return hostname();
}

/** The user that this runs as, by number: a container's user may have no name. Undefined where users have no numbers. */
export function ownUserId(): number | undefined {
  return process.getuid?.();
}
