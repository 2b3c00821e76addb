import { rulesInForce } from "../../holds/holds.ts";
import { findHold } from "../../job/hold.ts";
import type { AdapterHost, HarnessAdapter, HeldAdapter, HostedAdapter } from "../harness.ts";
import { API_KEY } from "./api-key.ts";
import { provisionApp } from "./app.ts";
import { type CursorOptions, requireCursorOptions } from "./cursor-options.ts";
import { findPackageFiles } from "./package-files.ts";
import { selfTest } from "./self-test.ts";

const HARNESS_ID = "cursor";

/**
 * The adapter for local Cursor agents (contract §13). It is held until the owner lifts the hold: then every call answers with
 * the hold, before it provisions, starts or reads anything. Throws JobError CONFIG for options that cannot be run.
 */
export function cursor(options: CursorOptions): HarnessAdapter {
  requireCursorOptions(options);
  return { harnessId: HARNESS_ID, requiredSecrets: [API_KEY], on: onHost };
}

function onHost(host: AdapterHost): HostedAdapter {
  const unlessHeld = async <T>(act: () => Promise<T>): Promise<T | HeldAdapter> => (await holdOver(host)) ?? act();
  return {
    provision: () => unlessHeld(() => provisionApp(host, findPackageFiles())),
    selfTest: () => unlessHeld(() => selfTest(host, findPackageFiles())),
  };
}

async function holdOver({ fleet }: AdapterHost): Promise<HeldAdapter | undefined> {
  const hold = findHold(await rulesInForce(fleet), [HARNESS_ID]);
  if (hold === undefined) return undefined;
  return { ok: true, state: hold.name, invoke_model: false, message: `${hold.name} covers ${HARNESS_ID}: ${hold.note}` };
}
