import {
  again,
  HOLD,
  isClaimed,
  isHeld,
  isLive,
  isOver,
  isWoken,
  type ModelClaim,
  type ModelJob,
  markDone,
  moveCheckpoint,
  no,
  note,
  predicateHolds,
  putDown,
  type Reply,
  stopsAsBlocked,
  type Tree,
  type World,
  yes,
} from "./reference-model.ts";

/** Contract §6, consumeDelivery, in the order of its answers. `claimId` is the caller's own, or one that nobody else has. */
export function modelClaim(job: ModelJob, { now }: World, attempt: number, worker: string, claimId: string): Reply {
  if (isHeld(job.harness, worker)) return yes(HOLD);
  if (isClaimed(job, attempt)) {
    const lost = job.claims.find((claim) => claim.attempt === attempt && claim.id === claimId && claim.worker === worker);
    const isIntact =
      lost !== undefined && isGood(job, lost) && !lost.isNoted && job.lease?.offer === lost.offer && isLive(job, now);
    return isIntact ? { ok: true, state: "CLAIMED", invoke: true, replay: true } : yes("REPLAY");
  }
  if (isOver(job)) return no(job.status);
  const offer = job.offers.at(-1);
  if (offer?.attempt !== attempt || job.lease === undefined || !isLive(job, now) || !isWoken(job)) return no("STALE_ATTEMPT");
  const stop = stopOf(job, now);
  if (stop !== undefined) return no(stop);

  job.lease = { ...job.lease, holder: worker, until: Math.max(job.lease.until, now + job.leaseSeconds) };
  job.status = "LEASED";
  job.unclaimed = 0;
  job.inBackoff = false;
  job.nextWakeAt = Math.min(job.nextWakeAt, now);
  job.claims.push({
    attempt,
    offer: job.lease.offer,
    id: claimId,
    worker,
    tokens: 0,
    cost: undefined,
    isNoted: false,
    finished: undefined,
    failed: undefined,
  });
  note(job, { event: "delivery_claim", attempt, at: now });
  return { ok: true, state: "CLAIMED", invoke: true, replay: false };
}

function stopOf(job: ModelJob, now: number): string | undefined {
  if (now >= job.deadline) return "DEADLINE";
  if (job.tokens >= job.budget) return "BUDGET";
  return stopsAsBlocked(job) ? "BLOCKED" : undefined;
}

export interface Report {
  readonly tokens: number | undefined;
  readonly cost: number | undefined;
}

function noteReport(job: ModelJob, claim: ModelClaim, { tokens, cost }: Report): void {
  const more = Math.max(tokens ?? 0, claim.tokens) - claim.tokens;
  if (more > 0) claim.isNoted = true;
  claim.tokens += more;
  job.tokens += more;
  if (cost !== undefined && cost > (claim.cost ?? 0)) {
    claim.cost = cost;
    claim.isNoted = true;
  }
}

/** The claim is the latest offer's, nothing has ended it, and the checkpoint is the one that it was made on. */
export function isGood(job: ModelJob, claim: ModelClaim): boolean {
  return isTheLatest(job, claim) && isWoken(job);
}

function isTheLatest(job: ModelJob, claim: ModelClaim): boolean {
  const isLatest = claim.offer === job.offers.length && job.offers.at(-1)?.isReleased === false;
  const wasMoved = job.history.some(({ event, attempt }) => event === "checkpoint" && attempt === claim.attempt);
  return isLatest && !wasMoved && claim.failed === undefined && claim.finished === undefined;
}

function knownClaim(claim: ModelClaim, worker: string): ModelClaim | undefined {
  return claim.worker === worker ? claim : undefined;
}

export function modelRenew(job: ModelJob, { now }: World, ref: ModelClaim, worker: string, report: Report): Reply {
  if (isHeld(job.harness, worker)) return yes(HOLD);
  const claim = knownClaim(ref, worker);
  if (claim === undefined) return no("LEASE_LOST");
  if (isOver(job)) return no(job.status);
  noteReport(job, claim, report);
  if (job.lease?.offer !== claim.offer || !isGood(job, claim)) return no("LEASE_LOST");
  const stop = stopOf(job, now);
  if (stop !== undefined) return no(stop);
  job.lease.until = Math.max(job.lease.until, now + job.leaseSeconds);
  claim.isNoted = true;
  return yes("RENEWED");
}

export interface Work {
  readonly checkpoint: Tree | undefined;
  readonly nextWakeAt: number | undefined;
  readonly result: unknown;
  readonly address: string | undefined;
  readonly blocker: string | undefined;
}

const WEAK = ["claimed", "sent", "pr_open", "accepted", "2xx", "carrier_2xx"];

export function isWeak(result: unknown): boolean {
  const { kind, status } = Object(result) as { kind?: unknown; status?: unknown };
  return [kind, status].some((word) => WEAK.includes(String(word)));
}

export function modelFinish(job: ModelJob, world: World, ref: ModelClaim, worker: string, work: Work, report: Report): Reply {
  const { now, canTell, pages } = world;
  if (isHeld(job.harness, worker)) return yes(HOLD);
  const claim = knownClaim(ref, worker);
  if (claim === undefined) return no("STALE_ATTEMPT");
  const outcome = JSON.stringify(
    [work.checkpoint, work.nextWakeAt, work.result, work.address, work.blocker].map((part) => (part === undefined ? [] : [part])),
  );
  if (claim.finished !== undefined) {
    if (!isOver(job)) noteReport(job, claim, report);
    return claim.finished.outcome === outcome ? again(claim.finished.state) : no("ALREADY_FINISHED");
  }
  if (isOver(job)) {
    if (!job.isAutoCompleted || !isTheLatest(job, claim)) return no(job.status);
    noteReport(job, claim, report);
    if (work.result !== undefined && !isWeak(work.result)) job.result = work.result;
    return finished(job, claim, now, outcome, "DONE");
  }
  if (!isGood(job, claim)) {
    noteReport(job, claim, report);
    return no("STALE_ATTEMPT");
  }

  if (work.blocker !== undefined) {
    noteReport(job, claim, report);
    if (work.checkpoint !== undefined) moveCheckpoint(job, work.checkpoint);
    job.blocker = work.blocker;
    job.knownBlocker = work.blocker;
    return step(job, claim, work, outcome, now);
  }

  const refuse = (state: string): Reply => {
    noteReport(job, claim, report);
    return no(state);
  };
  if (isWeak(work.result)) return refuse("NOT_DURABLE");
  const checkpoint = work.checkpoint ?? stepped(job);
  if (checkpoint === undefined) return { threw: "SCHEMA" };
  const address = work.address ?? job.address;
  if (work.result !== undefined && address === "") return refuse("NOT_DURABLE");
  const awaitsCheckpoint = typeof job.predicate === "object";
  const holds = predicateHolds(job, checkpoint);
  if (work.result !== undefined && awaitsCheckpoint && !holds) return refuse("PREDICATE");

  const isThere = canTell && pages.has(address);
  const wantsEnd = address !== "" && (work.result !== undefined || holds);
  if (wantsEnd && !canTell && work.result !== undefined) return { threw: "TRUTH_UNAVAILABLE" };
  if (wantsEnd && canTell && !isThere && (work.result !== undefined || awaitsCheckpoint)) return refuse("NOT_DURABLE");

  noteReport(job, claim, report);
  moveCheckpoint(job, checkpoint);
  if (!wantsEnd || !isThere) return step(job, claim, work, outcome, now);
  note(job, { event: "checkpoint", attempt: claim.attempt, at: now });
  job.inBackoff = false;
  const answer = finished(job, claim, now, outcome, "DONE");
  note(job, { event: "complete", attempt: claim.attempt, at: now });
  markDone(job);
  job.address = address;
  job.result = work.result === undefined ? { kind: "page" } : work.result;
  return answer;
}

function stepped(job: ModelJob): Tree | undefined {
  const { step: at = 0 } = job.checkpoint;
  if (typeof job.predicate === "object" && predicateHolds(job, job.checkpoint)) return job.checkpoint;
  return Number.isSafeInteger(at) ? { ...job.checkpoint, step: Number(at) + 1 } : undefined;
}

function step(job: ModelJob, claim: ModelClaim, { nextWakeAt }: Work, outcome: string, now: number): Reply {
  note(job, { event: "checkpoint", attempt: claim.attempt, at: now });
  putDown(job);
  job.inBackoff = false;
  job.nextWakeAt = nextWakeAt ?? now;
  return finished(job, claim, now, outcome, "CHECKPOINT");
}

function finished(job: ModelJob, claim: ModelClaim, at: number, outcome: string, state: "CHECKPOINT" | "DONE"): Reply {
  note(job, { event: "ack", attempt: claim.attempt, at });
  claim.finished = { outcome, state };
  return yes(state);
}

export function modelFail(job: ModelJob, { now }: World, ref: ModelClaim, worker: string, detail: string, report: Report): Reply {
  if (isHeld(job.harness, worker)) return yes(HOLD);
  const claim = knownClaim(ref, worker);
  if (claim === undefined) return no("STALE_ATTEMPT");
  if (!isOver(job)) noteReport(job, claim, report);
  if (claim.failed === detail) return again("FAILED");
  if (isOver(job)) return no(job.status);
  if (!isGood(job, claim)) return no("STALE_ATTEMPT");
  claim.failed = detail;
  note(job, { event: "failed", attempt: claim.attempt, at: now });
  putDown(job);
  return yes("FAILED");
}

export function modelCheckpoint(job: ModelJob, { now }: World, offerNumber: number, checkpoint: Tree): Reply {
  if (isOver(job)) return no(job.status);
  if (isHeld(job.harness)) return yes(HOLD);
  const offer = job.offers.at(-1);
  if (offer === undefined || job.lease?.offer !== offerNumber || !isLive(job, now) || !isWoken(job)) return no("STALE_ATTEMPT");
  moveCheckpoint(job, checkpoint);
  note(job, { event: "checkpoint", attempt: offer.attempt, at: now });
  job.nextWakeAt = now;
  job.unclaimed = 0;
  job.inBackoff = false;
  putDown(job);
  return yes("CHECKPOINT");
}
