import type { Command } from "commander";
import { requireCaller } from "../callback/caller.ts";
import { defaultWorkerId } from "../facts/process-environment.ts";
import type { Environment } from "./environment.ts";

export interface WorkerFlags {
  readonly workerId?: string;
}

export function withWorkerId(command: Command, who: string): Command {
  return command.option("--worker-id <name>", `${who}, for the receipts (default: HARNESS_WAKE_WORKER_ID, or this host's name)`);
}

/** Throws JobError SCHEMA for a name that could not stand in a receipt. */
export function workerIdFrom(flags: WorkerFlags, { env }: Environment): string {
  // In a workflow an unset variable arrives as an empty one.
  const workerId = flags.workerId ?? (env["HARNESS_WAKE_WORKER_ID"] || defaultWorkerId());
  requireCaller({ workerId });
  return workerId;
}
