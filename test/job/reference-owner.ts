import { isGood, isWeak } from "./reference-calls.ts";
import {
  again,
  isBlocked,
  isLive,
  isOver,
  type ModelJob,
  markDone,
  moveCheckpoint,
  no,
  note,
  openTheWay,
  type Reply,
  same,
  type Tree,
  type World,
  yes,
} from "./reference-model.ts";

/** What an owner may edit here; a field that is left out stays. */
export interface Edit {
  readonly harness?: string;
  readonly checkpoint?: Tree;
  readonly predicate?: ModelJob["predicate"];
  readonly address?: string;
  readonly nextWakeAt?: number;
  readonly deadline?: number;
  readonly budget?: number;
  readonly maxAttempts?: number;
}

const SHIELDED = ["checkpoint", "harness", "predicate", "address"] as const;

export function modelUpdate(job: ModelJob, { now, pages, canTell }: World, edit: Edit): Reply {
  if (isOver(job)) return no(job.status);
  const changed = (Object.keys(edit) as (keyof Edit)[]).filter((name) => !same(edit[name], job[name]));
  if (edit.budget !== undefined && edit.budget > job.budget) return { threw: "SCHEMA" };
  if (isLive(job, now) && SHIELDED.some((name) => name in edit)) return no("LEASE_HELD");
  if (changed.includes("address") && edit.address) {
    if (!canTell) return { threw: "TRUTH_UNAVAILABLE" };
    if (pages.has(edit.address)) return no("PAGE_EXISTS");
  }
  const { checkpoint, ...plain } = edit;
  if (checkpoint !== undefined) moveCheckpoint(job, checkpoint);
  Object.assign(job, plain);
  return yes("UPDATED");
}

export function modelBlock(job: ModelJob, { now }: World, detail: string): Reply {
  if (isOver(job)) return no(job.status);
  if (job.status === "BLOCKED" && job.blocker === detail && job.knownBlocker === detail) return again("BLOCKED");
  // A live lease runs out by itself; one that did has nothing more to say.
  if (!isLive(job, now)) job.lease = undefined;
  job.status = "BLOCKED";
  job.blocker = detail;
  job.knownBlocker = detail;
  return yes("BLOCKED");
}

export function modelUnblock(job: ModelJob, { now }: World): Reply {
  if (isOver(job)) return no(job.status);
  if (!isBlocked(job)) return again("UNBLOCKED");
  job.blocker = undefined;
  job.knownBlocker = undefined;
  job.status = isLive(job, now) ? "LEASED" : "OPEN";
  openTheWay(job);
  return yes("UNBLOCKED");
}

/** Nothing is out, and a release changes nothing, where no lease is left and no claim that could still come home. */
export function modelRelease(job: ModelJob, { now }: World): Reply {
  if (isOver(job)) return no(job.status);
  const offer = job.offers.at(-1);
  const canComeHome = job.claims.some((claim) => isGood(job, claim));
  if (offer === undefined || (job.lease === undefined && !canComeHome)) return again("RELEASED");
  offer.isReleased = true;
  job.lease = undefined;
  if (job.status !== "BLOCKED") job.status = "OPEN";
  note(job, { event: "release", attempt: offer.attempt, at: now });
  openTheWay(job);
  return yes("RELEASED");
}

export function modelCancel(job: ModelJob, { now }: World): Reply {
  if (job.status === "CANCELLED") return again("CANCELLED");
  if (isOver(job)) return no(job.status);
  job.status = "CANCELLED";
  job.lease = undefined;
  note(job, { event: "cancel", attempt: "cancel", at: now });
  return yes("CANCELLED");
}

export function modelComplete(job: ModelJob, { now, pages, canTell }: World, address: string, result: unknown): Reply {
  if (job.status === "DONE" && same(job.result ?? null, result)) return again("DONE");
  if (isOver(job)) return no(job.status);
  if (isWeak(result)) return no("NOT_DURABLE");
  if (!canTell) return { threw: "TRUTH_UNAVAILABLE" };
  if (!pages.has(address)) return no("NOT_DURABLE");
  markDone(job);
  job.address = address;
  job.result = result;
  note(job, { event: "complete", attempt: "complete", at: now });
  return yes("DONE");
}

export function modelObserve(job: ModelJob, event: string, attempt: string, at: number): Reply {
  if (job.history.some((entry) => entry.event === event && entry.attempt === attempt && entry.at === at))
    return again("RECORDED");
  note(job, { event, attempt, at });
  return yes("RECORDED");
}
