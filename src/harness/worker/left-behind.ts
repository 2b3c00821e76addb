import type { Answer } from "../../answer.ts";
import { JobError } from "../../errors/job-error.ts";
import type { Fleet } from "../../fleet.ts";
import { stateOfLife } from "../enclosure/worker-life.ts";
import type { AttemptRecord, AttemptRecords } from "./attempt-record.ts";
import { settle } from "./settle.ts";
import type { SettledRun } from "./settlement.ts";

/** What became of an attempt that an earlier worker left behind. */
export interface LeftBehind {
  readonly attempt_id: string;
  /** The store's answer, or why it could not be asked; then the next worker tries again. */
  readonly answer: Answer | JobError;
}

const CUT_OFF: SettledRun = {
  settlement: { kind: "fail", detail: "the worker ended in the middle of the run, and its agent with it" },
  usage: {},
};

/**
 * Finishes what workers of this host left behind that are no more (contract §11): outcomes that the store has not taken yet
 * are told to it, and attempts that were cut off are given up. Attempts of workers that live stay theirs.
 */
export async function settleLeftBehind(fleet: Fleet, records: AttemptRecords): Promise<readonly (LeftBehind | JobError)[]> {
  const found: (LeftBehind | JobError)[] = [];
  for (const record of records.all()) {
    if (record instanceof JobError) found.push(record);
    else if (stateOfLife(record.worker) === "over") found.push(await settleOne(fleet, records, record));
  }
  return found;
}

async function settleOne(fleet: Fleet, records: AttemptRecords, record: AttemptRecord): Promise<LeftBehind> {
  const { claim, worker_id, harness, settled = CUT_OFF } = record;
  try {
    const answer = await settle(fleet, claim, { workerId: worker_id, harness }, settled);
    records.remove(claim.attempt_id);
    return { attempt_id: claim.attempt_id, answer };
  } catch (error) {
    if (!(error instanceof JobError)) throw error;
    return { attempt_id: claim.attempt_id, answer: error };
  }
}
