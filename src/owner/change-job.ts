import { type Applied, type Refused, refusal } from "../answer.ts";
import type { Fleet } from "../fleet.ts";
import { blockerOf } from "../job/blocker.ts";
import { asDocument } from "../job/file/parse-job.ts";
import { type BlockerKind, isLeaseLive, type TerminalStatus } from "../job/job.ts";
import { blockedJob, unblockedJob } from "../job/moves/block.ts";
import { cancelledJob } from "../job/moves/cancel.ts";
import { shieldedField } from "../job/moves/owner-fields.ts";
import { releasedJob } from "../job/moves/release.ts";
import { updatedJob } from "../job/moves/update.ts";
import type { JsonObject } from "../json/json.ts";
import { decideAsOwner, decideOnLiveJob } from "./decide-as-owner.ts";
import { fieldsAsJson, type OwnerFields } from "./owner-fields.ts";
import { pageExists } from "./page-exists.ts";

type LiveAnswer<State extends string, Refusal extends string = never> =
  | Applied<State>
  | Refused<Refusal | TerminalStatus | "NOT_FOUND">;

export interface UpdateOptions {
  /** Take an address whose page already stands: the next tick may then find the job DONE. */
  readonly allowExistingPage?: boolean;
  /** How messages name the fields: a file, or the command line. */
  readonly source?: string;
}

export type UpdateAnswer = LiveAnswer<"UPDATED", "LEASE_HELD" | "PAGE_EXISTS">;

/**
 * Changes the owner's fields (contract §6). Refuses LEASE_HELD where a live lease shields one of them, PAGE_EXISTS for an
 * address whose page already stands, and terminal jobs. Throws JobError SCHEMA for a bad value, a field that transitions
 * write, or a budget that would rise; TRUTH_UNAVAILABLE where git cannot say whether the page stands.
 */
export async function updateJob(
  fleet: Fleet,
  jobId: string,
  fields: OwnerFields,
  options: UpdateOptions = {},
): Promise<UpdateAnswer> {
  const { source = "update", allowExistingPage = false } = options;
  return decideOnLiveJob<"UPDATED", "LEASE_HELD" | "PAGE_EXISTS">(fleet, jobId, "UPDATED", (job, pages) => {
    const now = fleet.clock.now();
    const edits: JsonObject = fieldsAsJson(fields, asDocument(job), source);
    const shielded = isLeaseLive(job, now) ? shieldedField(edits) : undefined;
    if (shielded !== undefined) {
      const message = `${job.lease?.holder} is at work on ${jobId} until ${job.lease?.until} and relies on ${shielded}; wait, or release it`;
      return { refused: refusal("LEASE_HELD", jobId, message) };
    }
    const to = updatedJob(job, edits, now, source);
    const isMoved = to.result_address !== job.result_address && to.result_address !== "";
    return isMoved && !allowExistingPage ? pageExists(to, pages) : { to };
  });
}

export type CancelAnswer = Applied<"CANCELLED"> | Refused<"DONE" | "EXHAUSTED" | "NOT_FOUND">;

/** Ends the job for good: CANCELLED. A second cancel is a no-op; DONE and EXHAUSTED stay what they are. */
export async function cancelJob(fleet: Fleet, jobId: string, reason: string): Promise<CancelAnswer> {
  return decideAsOwner<"CANCELLED", "DONE" | "EXHAUSTED">(fleet, jobId, "CANCELLED", (job) => {
    switch (job.status) {
      case "CANCELLED":
        return "already_so";
      case "DONE":
      case "EXHAUSTED":
        return { refused: refusal(job.status, jobId, `${jobId} is ${job.status} already`) };
      case "OPEN":
      case "LEASED":
      case "BLOCKED":
        return { to: cancelledJob(job, reason, fleet.clock.now()) };
    }
  });
}

/** Blocks the job on something outside: it sleeps until unblocked, or until its blocker changes. A live lease runs out by itself. */
export async function blockJob(fleet: Fleet, jobId: string, kind: BlockerKind, detail: string): Promise<LiveAnswer<"BLOCKED">> {
  const blocker = blockerOf(kind, detail);
  return decideOnLiveJob<"BLOCKED", never>(fleet, jobId, "BLOCKED", (job) => {
    const known = [job.blocker?.fingerprint, job.last_blocker_fingerprint];
    const isSame = job.status === "BLOCKED" && known.every((fingerprint) => fingerprint === blocker.fingerprint);
    return isSame ? "already_so" : { to: blockedJob(job, blocker, fleet.clock.now()) };
  });
}

/** Clears the blocker and what is remembered of it, so that the next due tick wakes the job. A job that is not blocked stays as it is. */
export async function unblockJob(fleet: Fleet, jobId: string): Promise<LiveAnswer<"UNBLOCKED">> {
  return decideOnLiveJob<"UNBLOCKED", never>(fleet, jobId, "UNBLOCKED", (job) => {
    const isBlocked = job.status === "BLOCKED" || job.blocker !== null;
    return isBlocked ? { to: unblockedJob(job, fleet.clock.now()) } : "already_so";
  });
}

/**
 * Takes an offer back, claimed or not (contract §6): its claim is over, and the next due tick offers the job anew. A model
 * that is at work learns of it at its next renewal. A job that offers nothing stays as it is.
 */
export async function releaseJob(fleet: Fleet, jobId: string): Promise<LiveAnswer<"RELEASED">> {
  return decideOnLiveJob<"RELEASED", never>(fleet, jobId, "RELEASED", (job) => {
    const to = releasedJob(job, fleet.clock.now());
    return to === undefined ? "already_so" : { to };
  });
}
