import { mkdirSync, realpathSync } from "node:fs";
import { ioError } from "../errors/io-error.ts";
import { systemClock } from "../facts/clock.ts";
import { type EnvironmentVariables, environmentVariables, ownNode } from "../facts/process-environment.ts";
import { findEnclosure } from "./enclosure/find-enclosure.ts";
import type { AdapterHost } from "./harness.ts";

export interface ThisHostOptions {
  /** Where runtimes are installed. No run may write there; it is made where it is not there yet. */
  readonly stateDirectory: string;
  /** Default: that of this process. */
  readonly env?: EnvironmentVariables;
}

/** This machine as a host of adapters, for a fleet whose owner may hold them. Throws JobError IO. */
export async function thisHost(fleet: AdapterHost["fleet"], options: ThisHostOptions): Promise<AdapterHost> {
  const { stateDirectory, env = environmentVariables() } = options;
  return {
    fleet,
    env,
    node: ownNode(),
    clock: systemClock,
    enclosure: await findEnclosure({ choice: "auto", env }),
    stateDirectory: madeDirectory(stateDirectory),
  };
}

function madeDirectory(path: string): string {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    return realpathSync(path);
  } catch (cause) {
    throw ioError(path, cause);
  }
}
