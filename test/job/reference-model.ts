/**
 * A job written a second time, from contract §1 to §6 alone and without the program: plain records that plain procedures
 * change in place. The program derives everything from the receipts; this keeps what it needs beside them, so that one
 * mistake would have to be made twice. Times are seconds, a blocker is its detail, a lease is known by the number of its offer.
 */
export interface ModelJob {
  status: "OPEN" | "LEASED" | "BLOCKED" | "DONE" | "CANCELLED" | "EXHAUSTED";
  harness: string;
  checkpoint: Tree;
  /** The checkpoint that the latest offer was made for. */
  woken: Tree | undefined;
  nextWakeAt: number;
  deadline: number;
  base: number;
  cap: number;
  leaseSeconds: number;
  maxAttempts: number;
  attempts: number;
  budget: number;
  tokens: number;
  predicate: "status_done" | "result_address_on_head" | { readonly step: unknown };
  address: string;
  lease: { offer: number; holder: string; until: number } | undefined;
  blocker: string | undefined;
  knownBlocker: string | undefined;
  inBackoff: boolean;
  noProgress: number;
  unclaimed: number;
  exhaustedFor: string | undefined;
  result: unknown;
  isAutoCompleted: boolean;
  offers: Offer[];
  claims: ModelClaim[];
  history: Entry[];
}

export type Tree = Readonly<Record<string, unknown>>;

interface Offer {
  readonly attempt: number;
  readonly at: number;
  readonly isPromised: boolean;
  isMailed: boolean;
  isReleased: boolean;
}

export interface ModelClaim {
  readonly attempt: number;
  readonly offer: number;
  readonly id: string;
  readonly worker: string;
  tokens: number;
  cost: number | undefined;
  /** Whether a renewal or a report came after the claim. */
  isNoted: boolean;
  finished: { readonly outcome: string; readonly state: "CHECKPOINT" | "DONE" } | undefined;
  failed: string | undefined;
}

/** A receipt, by what the contract says of it. `attempt` is a number, or the word that stands in its place. */
interface Entry {
  readonly event: string;
  readonly attempt: number | string;
  readonly at: number;
  readonly count?: number;
  readonly carrier?: string;
  readonly promised?: boolean;
}

/** What surrounds a job. */
export interface World {
  now: number;
  pages: Set<string>;
  canTell: boolean;
  /** Whether the config has an `ntfy` section. */
  mails: boolean;
}

export type Reply =
  | { readonly ok: boolean; readonly state: string; readonly invoke: boolean; readonly replay: boolean }
  | { readonly threw: string };

export const yes = (state: string): Reply => ({ ok: true, state, invoke: false, replay: false });
export const again = (state: string): Reply => ({ ok: true, state, invoke: false, replay: true });
export const no = (state: string): Reply => ({ ok: false, state, invoke: false, replay: false });

export const HOLD = "CURSOR_QUOTA_HOLD";

export const isHeld = (...names: readonly string[]): boolean => names.some((name) => name.includes("cursor"));

export const isOver = (job: ModelJob): boolean => ["DONE", "CANCELLED", "EXHAUSTED"].includes(job.status);

export const isLive = (job: ModelJob, now: number): boolean => job.lease !== undefined && job.lease.until > now;

export const isBlocked = (job: ModelJob): boolean => job.status === "BLOCKED" || job.blocker !== undefined;

/** Rules 5 and 5b: a new blocker beside a remembered one does not stop a tick, it is how an owner says "go on". */
export const stopsAsBlocked = (job: ModelJob): boolean =>
  job.blocker === undefined ? job.status === "BLOCKED" : job.knownBlocker === undefined || job.knownBlocker === job.blocker;

export const same = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right);

export const isWoken = (job: ModelJob): boolean => job.woken !== undefined && same(job.woken, job.checkpoint);

export const isClaimed = (job: ModelJob, attempt: number): boolean =>
  job.history.some(
    (entry) => entry.attempt === attempt && ["delivery_claim", "checkpoint", "ack", "failed"].includes(entry.event),
  );

/** The latest offer, where it is promised and nobody claimed its attempt. */
export function unanswered(job: ModelJob): Offer | undefined {
  const offer = job.offers.at(-1);
  return offer?.isPromised && !isClaimed(job, offer.attempt) ? offer : undefined;
}

export function owed(job: ModelJob): Offer | undefined {
  const offer = unanswered(job);
  return offer?.isMailed || isOver(job) || isBlocked(job) || isHeld(job.harness) ? undefined : offer;
}

export function note(job: ModelJob, entry: Entry): void {
  job.history.push(entry);
}

/** "Waiting adds no history": the receipt of the same kind moves to the end and is counted again. */
export function noteAgain(job: ModelJob, entry: Entry, startsAnew = false): void {
  const kin = ({ event, attempt, carrier }: Entry): boolean =>
    event === entry.event && attempt === entry.attempt && carrier === entry.carrier;
  const before = job.history.find(kin);
  const count = before === undefined || startsAnew ? 1 : (before.count ?? 1) + 1;
  job.history = job.history.filter((other) => !kin(other));
  job.history.push({ ...entry, count });
}

/** The checkpoint moves to a place; another place is progress. */
export function moveCheckpoint(job: ModelJob, checkpoint: Tree): void {
  if (!same(checkpoint, job.checkpoint)) job.noProgress = 0;
  job.checkpoint = checkpoint;
}

/** An attempt is over and the job is not: it waits, for its time or for its owner. */
export function putDown(job: ModelJob): void {
  job.status = isBlocked(job) ? "BLOCKED" : "OPEN";
  job.lease = undefined;
}

/** "The next due tick wakes": what follows unblock and release. */
export function openTheWay(job: ModelJob): void {
  job.inBackoff = true;
  if (job.attempts >= job.maxAttempts) job.maxAttempts = job.attempts + 1;
}

export function predicateHolds(job: ModelJob, checkpoint: Tree): boolean {
  if (job.predicate === "status_done") return false;
  return job.predicate === "result_address_on_head" || same(job.predicate.step, checkpoint["step"]);
}

/** Contract §6 and rule 2: the one way to DONE. */
export function markDone(job: ModelJob): void {
  job.status = "DONE";
  job.lease = undefined;
}
