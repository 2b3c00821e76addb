/**
 * What one job does, said a second time: written from contract §3 to §6 alone, and knowing nothing of the program. Where
 * the program keeps a history of receipts and derives from it, this keeps flags; a mistake would have to be made twice.
 *
 * A checkpoint is its step, a blocker its detail, a lease the offer that gave it. Times are seconds.
 */
export interface Terms {
  readonly leaseSeconds: number;
  readonly base: number;
  readonly cap: number;
  readonly maxAttempts: number;
  /** What the file begins with: a stall can end a job only where it began before the attempts did. */
  readonly noProgressBefore: number;
  readonly budget: number;
  readonly deadline: number;
  /** `step`: done when the checkpoint's step is this. */
  readonly predicate: "status_done" | "result_address_on_head" | { readonly step: number };
  readonly hasAddress: boolean;
}

/** What surrounds the job, and moves without it. */
export interface World {
  now: number;
  isPageThere: boolean;
  isHeld: boolean;
}

export type Mail = "up" | "down" | "unreached";

export interface Work {
  /** The new checkpoint's step; omitted, the woken one is raised. */
  readonly step: number | undefined;
  readonly hasResult: boolean;
  readonly tokens: number | undefined;
}

interface Offer {
  readonly attempt: number;
  readonly at: number;
  readonly promisesMail: boolean;
  isMailed: boolean;
}

export interface ModelClaim {
  readonly attempt: number;
  readonly offer: Offer;
  tokens: number;
  hasFailed: boolean;
  finished: { readonly work: string; readonly state: string } | undefined;
}

type Status = "OPEN" | "LEASED" | "BLOCKED" | "DONE" | "CANCELLED" | "EXHAUSTED";

const HOLD = "CURSOR_QUOTA_HOLD";
const MAIL_GRACE = 60;

export class ReferenceModel {
  readonly terms: Terms;
  readonly world: World;

  status: Status = "OPEN";
  step = 0;
  wokenStep: number | undefined;
  nextWakeAt: number;
  attempts = 0;
  tokens = 0;
  isInBackoff = false;
  noProgress = 0;
  unclaimed = 0;
  lease: { readonly offer: Offer; until: number } | undefined;
  blocker: string | undefined;
  knownBlocker: string | undefined;
  exhaustedFor: string | undefined;
  isAutoCompleted = false;
  offer: Offer | undefined;
  readonly claims: ModelClaim[] = [];
  /** By attempt: `MAIL` and `FAILED` receipts in their order, with their counts. */
  readonly deliveries = new Map<number, { readonly carrier: "MAIL" | "FAILED"; count: number }[]>();
  /** Hold receipts, and whether one stands after the latest wake. */
  holdReceipts = 0;
  #isHoldNoted = false;

  constructor(terms: Terms, world: World) {
    this.terms = terms;
    this.world = world;
    this.nextWakeAt = world.now;
    this.noProgress = terms.noProgressBefore;
  }

  stepClock(seconds: number): string {
    this.world.now += seconds;
    return String(this.world.now);
  }

  setPage(isThere: boolean): string {
    this.world.isPageThere = isThere;
    return String(isThere);
  }

  setHold(isHeld: boolean): string {
    this.world.isHeld = isHeld;
    return String(isHeld);
  }

  get isTerminal(): boolean {
    return this.status === "DONE" || this.status === "CANCELLED" || this.status === "EXHAUSTED";
  }

  get isLeaseLive(): boolean {
    return this.lease !== undefined && this.lease.until > this.world.now;
  }

  get isBlocked(): boolean {
    return this.status === "BLOCKED" || this.blocker !== undefined;
  }

  /** Whether the latest wake's attempt was claimed. */
  get isClaimed(): boolean {
    return this.#claimOf(this.offer?.attempt) !== undefined;
  }

  get isMailOwed(): boolean {
    if (this.offer === undefined || this.isTerminal || this.isBlocked || this.world.isHeld) return false;
    return this.offer.promisesMail && !this.offer.isMailed && !this.isClaimed && this.#isWoken;
  }

  get #isWoken(): boolean {
    return this.wokenStep === this.step;
  }

  #claimOf(attempt: number | undefined): ModelClaim | undefined {
    return this.claims.find((claim) => claim.attempt === attempt);
  }

  /** Contract §3: the row's action and reason. */
  tick(delivers: boolean, mail: Mail): string {
    const verdict = this.#decide(delivers);
    if (delivers && verdict.startsWith("WAKE") && this.offer !== undefined) this.#mail(this.offer, mail);
    return verdict;
  }

  #decide(delivers: boolean): string {
    const { now, isPageThere, isHeld } = this.world;
    // 1
    if (this.isTerminal) return `STOP ${this.status}`;
    // 2
    if (this.terms.hasAddress && isPageThere && this.#predicateHoldsAt(this.step)) {
      this.status = "DONE";
      this.lease = undefined;
      this.isAutoCompleted = true;
      return "STOP DONE";
    }
    // 3, 4
    if (now >= this.terms.deadline) return this.#exhaust("DEADLINE");
    if (this.tokens >= this.terms.budget) return this.#exhaust("BUDGET");
    // 5, 5b, 5c
    if (this.blocker === undefined && this.status === "BLOCKED") return "STOP BLOCKED_UNCHANGED";
    if (this.blocker !== undefined) {
      if (this.blocker === this.knownBlocker) return "STOP BLOCKED_UNCHANGED";
      const isFirst = this.knownBlocker === undefined;
      this.knownBlocker = this.blocker;
      if (isFirst) {
        this.status = "BLOCKED";
        return "STOP BLOCKED_UNCHANGED";
      }
      this.blocker = undefined;
      this.status = this.isLeaseLive ? "LEASED" : "OPEN";
    }
    // 6
    if (this.isLeaseLive) {
      const isLate = this.offer !== undefined && now - this.offer.at >= MAIL_GRACE;
      return delivers && this.isMailOwed && isLate ? this.#offerAgain("REDELIVER", delivers) : "STOP LEASE_HELD";
    }
    // 7
    if (now < this.nextWakeAt) return "STOP NOT_DUE";
    // 8
    if (isHeld) {
      if (delivers && !this.#isHoldNoted) {
        this.#isHoldNoted = true;
        this.holdReceipts++;
      }
      return `HOLD ${HOLD}`;
    }
    // 9
    if (this.isMailOwed) return delivers ? this.#offerAgain("REDELIVER", delivers) : "STOP MAIL_OWED";
    // 10
    if (this.offer?.isMailed && !this.isClaimed && this.#isWoken) {
      if (this.isInBackoff) return this.#offerAgain("REOFFER", delivers);
      this.unclaimed++;
      return this.#backOff("UNCLAIMED", this.unclaimed);
    }
    // 11
    if (this.attempts >= this.terms.maxAttempts) return this.#exhaust("MAX_ATTEMPTS");
    // 12
    if (this.#isWoken && !this.isInBackoff) {
      if (this.noProgress + 1 >= this.terms.maxAttempts) return this.#exhaust("NO_PROGRESS");
      this.noProgress++;
      return this.#backOff("UNCHANGED_CHECKPOINT", this.noProgress);
    }
    // 13
    this.attempts++;
    this.wokenStep = this.step;
    this.#offerNow(this.attempts, delivers);
    return "WAKE RUNNABLE";
  }

  #predicateHoldsAt(step: number): boolean {
    const { predicate } = this.terms;
    if (predicate === "status_done") return false;
    return predicate === "result_address_on_head" || predicate.step === step;
  }

  #exhaust(reason: string): string {
    this.status = "EXHAUSTED";
    this.exhaustedFor = reason;
    this.lease = undefined;
    return `STOP ${reason}`;
  }

  #backOff(reason: string, exponent: number): string {
    this.isInBackoff = true;
    this.status = "OPEN";
    this.lease = undefined;
    this.nextWakeAt = this.world.now + Math.min(this.terms.base * 2 ** exponent, this.terms.cap);
    return `BACKOFF ${reason}`;
  }

  #offerAgain(reason: string, delivers: boolean): string {
    this.#offerNow(this.offer?.attempt ?? 0, delivers);
    return `WAKE ${reason}`;
  }

  #offerNow(attempt: number, delivers: boolean): void {
    const { now } = this.world;
    const until = Math.max(now + this.terms.leaseSeconds, this.lease?.until ?? 0);
    this.offer = { attempt, at: now, promisesMail: delivers, isMailed: false };
    this.lease = { offer: this.offer, until };
    this.status = "LEASED";
    this.isInBackoff = false;
    this.#isHoldNoted = false;
  }

  #mail(offer: Offer, mail: Mail): void {
    if (mail === "unreached") return;
    const receipts = this.deliveries.get(offer.attempt) ?? [];
    this.deliveries.set(offer.attempt, receipts);
    const last = receipts.at(-1);
    if (mail === "down" && last?.carrier === "FAILED") last.count++;
    else receipts.push({ carrier: mail === "up" ? "MAIL" : "FAILED", count: 1 });
    if (mail === "up") offer.isMailed = true;
  }

  /** Contract §6: a mail of that attempt is consumed. */
  claim(attempt: number): string {
    const { now, isHeld } = this.world;
    if (isHeld) return HOLD;
    if (this.#claimOf(attempt) !== undefined) return "REPLAY";
    if (this.isTerminal) return this.status;
    const { offer, lease } = this;
    if (offer?.attempt !== attempt || lease?.offer !== offer || !this.isLeaseLive || !this.#isWoken) return "STALE_ATTEMPT";
    if (now >= this.terms.deadline) return "DEADLINE";
    if (this.tokens >= this.terms.budget) return "BUDGET";
    if (this.isBlocked) return "BLOCKED";
    this.claims.push({ attempt, offer, tokens: 0, hasFailed: false, finished: undefined });
    lease.until = Math.max(lease.until, now + this.terms.leaseSeconds);
    this.status = "LEASED";
    this.unclaimed = 0;
    return "CLAIMED";
  }

  renew(claim: ModelClaim, isTheirs: boolean, tokens: number | undefined): string {
    if (this.world.isHeld) return HOLD;
    if (!isTheirs) return "LEASE_LOST";
    if (this.isTerminal) return this.status;
    if (!this.#holds(claim) || this.lease === undefined) return "LEASE_LOST";
    this.lease.until = Math.max(this.lease.until, this.world.now + this.terms.leaseSeconds);
    this.#count(claim, tokens);
    return "RENEWED";
  }

  finish(claim: ModelClaim, isTheirs: boolean, work: Work): string {
    const { isHeld, isPageThere, now } = this.world;
    if (isHeld) return HOLD;
    if (!isTheirs) return "STALE_ATTEMPT";
    const outcome = `${work.step} ${work.hasResult}`;
    if (claim.finished !== undefined) {
      return claim.finished.work === outcome ? `${claim.finished.state} again` : "ALREADY_FINISHED";
    }
    if (this.isAutoCompleted && claim.offer === this.offer && !claim.hasFailed) {
      claim.finished = { work: outcome, state: "DONE" };
      this.#count(claim, work.tokens);
      return "DONE";
    }
    if (this.isTerminal) return this.status;
    if (!this.#holds(claim)) return "STALE_ATTEMPT";

    const { predicate, hasAddress } = this.terms;
    const isThereAlready = typeof predicate === "object" && predicate.step === this.step;
    const step = work.step ?? (isThereAlready ? this.step : this.step + 1);
    const reachesEnd = work.hasResult || (typeof predicate === "object" && predicate.step === step);
    if (hasAddress && reachesEnd && !isPageThere) return "NOT_DURABLE";
    const ends = hasAddress && isPageThere && (reachesEnd || predicate === "result_address_on_head");

    this.#count(claim, work.tokens);
    if (step !== this.step) this.noProgress = 0;
    this.step = step;
    this.lease = undefined;
    this.status = ends ? "DONE" : "OPEN";
    if (!ends) this.nextWakeAt = now;
    claim.finished = { work: outcome, state: ends ? "DONE" : "CHECKPOINT" };
    return claim.finished.state;
  }

  fail(claim: ModelClaim, isTheirs: boolean, tokens: number | undefined): string {
    if (this.world.isHeld) return HOLD;
    if (!isTheirs) return "STALE_ATTEMPT";
    if (claim.hasFailed) return "FAILED again";
    if (this.isTerminal) return this.status;
    if (!this.#holds(claim)) return "STALE_ATTEMPT";
    claim.hasFailed = true;
    this.#count(claim, tokens);
    this.status = "OPEN";
    this.lease = undefined;
    return "FAILED";
  }

  /** The same lease_id, and the woken checkpoint; whether the lease ran out does not matter. */
  #holds(claim: ModelClaim): boolean {
    return this.lease?.offer === claim.offer && this.#isWoken;
  }

  #count(claim: ModelClaim, tokens: number | undefined): void {
    if (tokens === undefined || tokens <= claim.tokens) return;
    this.tokens += tokens - claim.tokens;
    claim.tokens = tokens;
  }

  cancel(): string {
    if (this.status === "CANCELLED") return "CANCELLED again";
    if (this.isTerminal) return this.status;
    this.status = "CANCELLED";
    this.lease = undefined;
    return "CANCELLED";
  }

  block(detail: string): string {
    if (this.isTerminal) return this.status;
    const isSame = this.status === "BLOCKED" && this.blocker === detail && this.knownBlocker === detail;
    if (isSame) return "BLOCKED again";
    this.status = "BLOCKED";
    this.lease = undefined;
    this.blocker = detail;
    this.knownBlocker = detail;
    return "BLOCKED";
  }

  unblock(): string {
    if (this.isTerminal) return this.status;
    if (!this.isBlocked) return "UNBLOCKED again";
    this.status = "OPEN";
    this.blocker = undefined;
    this.knownBlocker = undefined;
    return "UNBLOCKED";
  }

  /** Somebody writes a blocker into the file, as the Python original's harnesses did. */
  writeBlocker(detail: string): string {
    this.blocker = detail;
    return "WRITTEN";
  }

  /** The owner moves the checkpoint. */
  updateStep(step: number): string {
    if (this.isTerminal) return this.status;
    if (this.isLeaseLive) return "LEASE_HELD";
    if (step !== this.step) this.noProgress = 0;
    this.step = step;
    return "UPDATED";
  }
}
