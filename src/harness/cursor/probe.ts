import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { errnoOf } from "../../errors/io-error.ts";
import { environmentVariables } from "../../facts/process-environment.ts";
import { findEnclosure } from "../enclosure/find-enclosure.ts";
import { loadSdk } from "./load-sdk.ts";
import type { ProbeTask } from "./runner-input.ts";
import type { RunnerLine } from "./runner-line.ts";

type Found = Extract<RunnerLine, { readonly line: "probe" }>;

/** The part of a self-test that only a run itself can find out: whether the SDK loads there, and what is closed to it. */
export async function probe({ mark, app, closed }: ProbeTask): Promise<Found> {
  const loaded = loadSdk(app);
  const sdk = loaded.state === "loaded" ? { version: loaded.version } : { why: loaded.why };
  const { kind: inner } = await findEnclosure({ choice: "auto", env: environmentVariables(), isInner: true });
  return { line: "probe", mark, sdk, open: closed.filter((directory) => canWriteTo(directory, mark)), inner };
}

function canWriteTo(directory: string, mark: string): boolean {
  const probe = join(directory, `.probe-${mark}`);
  try {
    writeFileSync(probe, "");
    rmSync(probe);
    return true;
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return false;
  }
}
