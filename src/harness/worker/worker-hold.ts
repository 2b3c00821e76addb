import type { Fleet } from "../../fleet.ts";
import { rulesInForce } from "../../holds/holds.ts";
import { findHold, type HoldRule } from "../../job/hold.ts";
import type { RunTiming } from "../enclosure/run-enclosed.ts";
import type { Claimant } from "./settle.ts";
import type { WorkerEvent } from "./worker-event.ts";

/** Whom a hold may cover: a worker by its names, and by the adapter that it runs. */
export interface HeldParty {
  readonly fleet: Pick<Fleet, "store" | "holds">;
  readonly claimant: Claimant;
  readonly adapterId?: string;
}

/** The hold that covers this worker, if one does: then it takes nothing, and keeps nothing going (contract §5). */
export async function holdOverWorker({ fleet, claimant, adapterId }: HeldParty): Promise<HoldRule | undefined> {
  const names = [claimant.harness, claimant.workerId, ...(adapterId === undefined ? [] : [adapterId])];
  return findHold(await rulesInForce(fleet), names);
}

export interface HoldWait extends HeldParty {
  readonly timing: Pick<RunTiming, "pause">;
  readonly once: boolean;
  readonly lookEveryMs: number;
  readonly tell: (event: WorkerEvent) => void;
  readonly stopping: AbortSignal;
}

/**
 * Waits until no hold covers the worker, and says which one does. Gives the hold that still stands: with `once`, or when the
 * worker is told to stop. Starts nothing.
 */
export async function waitOutHolds(wait: HoldWait): Promise<HoldRule | undefined> {
  const { timing, once, lookEveryMs, tell, stopping } = wait;
  for (;;) {
    const hold = await holdOverWorker(wait);
    if (hold === undefined) return undefined;
    tell({ event: "held", state: hold.name, message: hold.note });
    if (!once) await timing.pause(lookEveryMs, lookEveryMs, stopping);
    if (once || stopping.aborted) return hold;
  }
}
