import type { Fleet } from "../../fleet.ts";
import type { Mount } from "../enclosure/mount.ts";
import type { EnclosedCommand, EnclosedRun, RunTiming } from "../enclosure/run-enclosed.ts";
import type { ProgramFor } from "../program.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { RunLimit } from "./keep-lease.ts";
import type { OwnClaim, RunFiles } from "./run-files.ts";
import type { Claimant } from "./settle.ts";

/** What a worker needs to run attempts. */
export interface RunPorts {
  readonly fleet: Fleet;
  readonly claimant: Claimant;
  /** The adapter that runs are made by, where one is: a hold may cover it too. */
  readonly adapterId?: string;
  readonly timing: RunTiming;
  /** Starts a command in a cage of its own. */
  readonly launch: (command: EnclosedCommand) => Pick<EnclosedRun, "ended" | "stop">;
  readonly openWorkspace: (attemptId: string) => Promise<Workspace>;
  readonly programFor: ProgramFor;
  /** The prompt of an attempt, once its files have names. */
  readonly promptOf: (claim: OwnClaim, files: RunFiles) => string;
  /** The environment that every run gets beside HARNESS_WAKE_*. */
  readonly environmentFor: (told: Readonly<Record<string, string>>) => Readonly<Record<string, string>>;
  /** What every run may write, below what its workspace and its program say. */
  readonly mounts: readonly Mount[];
  /** Directories of the worker's own, one for the files of runs and one for logs. */
  readonly runsDirectory: string;
  readonly logsDirectory: string;
  /** How long a run may take, in milliseconds. */
  readonly timeLimitMs: number;
}

/** Asks a run to end from outside. Undefined while nobody asks. */
export type StopRequest = () => RunLimit | undefined;
