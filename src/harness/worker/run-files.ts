import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Claimed } from "../../callback/consume-delivery.ts";
import { errnoOf, ioError } from "../../errors/io-error.ts";
import type { Json, JsonObject } from "../../json/json.ts";

/** The claim that a run works for. */
export type OwnClaim = Claimed<JsonObject, Json>;

/** What a run is given as files, and where it leaves its outcome. */
export interface RunFiles {
  readonly directory: string;
  readonly prompt: string;
  readonly checkpoint: string;
  readonly outcome: string;
}

/** Makes a run's directory with its checkpoint in it. Throws JobError IO. */
export function makeFiles(parent: string, { attempt_id, checkpoint }: OwnClaim): RunFiles {
  const directory = join(parent, attempt_id);
  const files = {
    directory,
    prompt: join(directory, "prompt.md"),
    checkpoint: join(directory, "checkpoint.json"),
    outcome: join(directory, "outcome.json"),
  };
  try {
    // What an earlier worker left of the same attempt is another run's.
    rmSync(directory, { recursive: true, force: true });
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    writeFileSync(files.checkpoint, `${JSON.stringify(checkpoint, null, 2)}\n`);
  } catch (cause) {
    throw ioError(directory, cause);
  }
  return files;
}

/** What cannot be removed now does no harm: the next run of the attempt removes it before it starts. */
export function removeTree(directory: string): void {
  try {
    rmSync(directory, { recursive: true, force: true });
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
  }
}
