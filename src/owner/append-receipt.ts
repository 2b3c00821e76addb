import type { Applied, Refused } from "../answer.ts";
import type { Fleet } from "../fleet.ts";
import { type Observation, observedJob, requireObservation } from "../job/moves/observe.ts";
import { decideAsOwner } from "./decide-as-owner.ts";

export type AppendAnswer = Applied<"RECORDED"> | Refused<"NOT_FOUND">;

/**
 * Adds an observation to a job's history, also to a terminal job's, which stays as it was otherwise (contract §6). An
 * identical receipt is a no-op. Throws JobError SCHEMA for a receipt that would forge a move.
 */
export async function appendReceipt(fleet: Fleet, jobId: string, observation: Observation): Promise<AppendAnswer> {
  const now = fleet.clock.now();
  requireObservation(observation, now);
  return decideAsOwner<"RECORDED", never>(fleet, jobId, "RECORDED", (job) => {
    const to = observedJob(job, observation, now);
    return to === undefined ? "already_so" : { to };
  });
}
