import type { Usage } from "../callback/decide-on-claim.ts";
import type { Json, JsonObject } from "../json/json.ts";
import type { Mount } from "./enclosure/mount.ts";
import type { RunEnd } from "./enclosure/run-enclosed.ts";
import type { Outcome } from "./outcome.ts";

/** What a worker knows of an attempt that it took. Nothing here gives power over the claim. */
export interface GivenAttempt {
  readonly job_id: string;
  readonly attempt_id: string;
  readonly objective: string;
  readonly checkpoint: JsonObject;
  /** What the checkpoint's `step` becomes when the run gives no checkpoint; null where it has none that can be raised. */
  readonly step: Json;
  /** RFC 3339. */
  readonly deadline: string;
  readonly tokens_left: number;
  /** The whole prompt: for standard input, and in `promptFile`. */
  readonly prompt: string;
  readonly promptFile: string;
  readonly checkpointFile: string;
  /** Where the run leaves its outcome. */
  readonly outcomeFile: string;
  /** The working directory. Absolute, links resolved. */
  readonly directory: string;
  /** Where the workspace lets it write; for an agent with a sandbox of its own. */
  readonly writable: readonly string[];
  /** How long the run may take at most, in milliseconds. */
  readonly timeLimitMs: number;
  /** The environment that every run gets: what is harmless of the worker's, what its owner named, HARNESS_WAKE_*. */
  readonly env: Readonly<Record<string, string>>;
}

/** What a run starts, and how what comes of it is read. One for each run. */
export interface Program {
  readonly argv: readonly [string, ...string[]];
  /** The run's whole environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Written to standard input, which is then closed. */
  readonly stdin: string;
  /** What it may write beside its workspace. */
  readonly mounts: readonly Mount[];
  /** Values that must not reach a log's excerpt or a job's history. */
  readonly secrets: readonly string[];
  /** Takes standard output as it comes. Must not throw. */
  onStdout(chunk: Buffer): void;
  /** What the attempt has used so far. */
  usage(): Usage;
  /** What the run came to, once nothing of it is left; `lastLines` is the end of its standard error. */
  conclude(end: RunEnd, lastLines: string): Conclusion;
  /** Ends what the program holds beside the run, like its place at the gateway. Called once, before `conclude`. Never throws. */
  close(): Promise<void>;
}

export type Conclusion =
  | { readonly kind: "outcome"; readonly outcome: Outcome }
  /** It ended well and left nothing; `checkpoint` is what a plain step then makes of it, where more than `step` moves. */
  | { readonly kind: "nothing_left"; readonly checkpoint?: JsonObject }
  | { readonly kind: "failed"; readonly detail: string };

/** Makes the program of one attempt. Throws JobError where it cannot be run at all. */
export type ProgramFor = (attempt: GivenAttempt) => Promise<Program>;
