import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { onTestFinished } from "vitest";
import { systemClock } from "../../src/facts/clock.ts";
import { type EnvironmentVariables, ownNode } from "../../src/facts/process-environment.ts";
import type { EnclosureKind } from "../../src/harness/enclosure/enclosure.ts";
import { findEnclosure } from "../../src/harness/enclosure/find-enclosure.ts";
import type { AdapterHost } from "../../src/harness/harness.ts";
import type { HoldRule } from "../../src/job/hold.ts";
import { fleetUnder } from "./fleet-under.ts";

export const PLANTED_KEY = "key_planted-9f31c0de77aa4412";

export interface CursorHostOptions {
  readonly holds?: readonly HoldRule[];
  readonly kinds?: readonly EnclosureKind[];
  readonly env?: EnvironmentVariables;
  readonly stateDirectory?: string;
}

/** This machine as a host of the adapter, with a key that opens nothing, under a fleet whose owner lifted the hold. */
export async function cursorHost({ holds = [], kinds, env, stateDirectory }: CursorHostOptions = {}): Promise<AdapterHost> {
  const variables = { ...process.env, CURSOR_API_KEY: PLANTED_KEY, ...env };
  return {
    fleet: fleetUnder(...holds),
    env: variables,
    node: ownNode(),
    clock: systemClock,
    enclosure: await findEnclosure({ choice: "auto", env: variables, ...(kinds !== undefined && { kinds }) }),
    stateDirectory: stateDirectory ?? directoryOutsideTmp(),
  };
}

/** Where a run has no directory of its own. */
function directoryOutsideTmp(): string {
  const directory = realpathSync(mkdtempSync("/var/tmp/harness-wake-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
