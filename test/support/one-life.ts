import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Answer } from "../../src/answer.ts";
import { type Claimed, consumeDelivery } from "../../src/callback/consume-delivery.ts";
import { finishDelivery } from "../../src/callback/finish-delivery.ts";
import { renewDelivery } from "../../src/callback/renew-delivery.ts";
import { systemClock } from "../../src/facts/clock.ts";
import { randomIds } from "../../src/facts/ids.ts";
import type { Fleet } from "../../src/fleet.ts";
import type { PlainJson } from "../../src/json/plain-json.ts";
import type { Mailer } from "../../src/mail/mailer.ts";
import { type Disk, nodeDisk } from "../../src/store/disk.ts";
import { FileJobStore } from "../../src/store/file-job-store.ts";
import { runTick } from "../../src/wake/run-tick.ts";
import type { TickSummary } from "../../src/wake/summary.ts";
import { FakeMailer } from "./fake-mailer.ts";
import { FakePages } from "./fake-pages.ts";
import type { KillPoints } from "./kill-points.ts";
import { LineLog } from "./line-log.ts";
import { noHolds } from "./no-holds.ts";
import { NOON } from "./noon.ts";

/** Where a life takes place: the fleet, and a directory outside it for mail, for the page, and for what the harness saw. */
export interface Place {
  readonly jobs: string;
  readonly outside: string;
}

/** What the harness saw and did, in its own words: an append-only log, whatever the job files say. */
export type Seen = { readonly claimed: Claim } | { readonly over: string; readonly answer: Answer };
type Claim = Claimed<{ readonly [key: string]: PlainJson }, PlainJson>;

export interface LifeSetting {
  readonly points?: KillPoints;
  readonly disk?: Disk;
  /** When it begins, unix seconds. */
  readonly from?: number;
}

/** One act of a life: what it is, and how many calls of ports had been made when it was over. */
export interface Act {
  readonly name: "tick" | "claim" | "renew" | "finish";
  readonly calls: number;
}

const ME = { workerId: "worker-one", harness: "script" };

/**
 * A watchdog and a harness over one job, by turns, on ports that may each be a kill point: store, disk, pages, mailer,
 * clock and ids. Nothing but the files survives from one such life to the next.
 */
export class OneLife {
  /** Unix seconds. */
  now: number;
  readonly acts: Act[] = [];
  readonly #place: Place;
  readonly #fleet: Fleet;
  readonly #mailer: Mailer;
  readonly #points: KillPoints | undefined;

  constructor(place: Place, { points, disk = nodeDisk, from = NOON }: LifeSetting = {}) {
    const wrap = <Port extends object>(port: Port): Port => points?.wrap(port) ?? port;
    this.#place = place;
    this.#points = points;
    this.now = from;
    const clock = wrap({ now: () => this.now, monotonic: systemClock.monotonic });
    const store = wrap(new FileJobStore({ directory: place.jobs, clock, disk: wrap(disk) }));
    this.#fleet = { store, pages: wrap(new PushedPages(place)), holds: noHolds, clock, ids: wrap(randomIds) };
    this.#mailer = wrap(mailerTo(place));
  }

  /** A job's whole life: two attempts, the second of which pushes the page, and a tick that finds nothing to do. */
  async live(): Promise<void> {
    for (let turn = 0; turn < 2; turn++) {
      await this.tick();
      await this.work();
    }
    await this.tick();
  }

  async tick(): Promise<TickSummary> {
    const summary = await runTick({ ...this.#fleet, mailer: this.#mailer }, { workerId: "watchdog" });
    this.#over("tick");
    return summary;
  }

  /** The harness reads all the mail that ever came, as one that lost its memory does, and takes what it gets. */
  async work(): Promise<void> {
    for (const message of mailLog(this.#place).entries()) {
      this.now += 1;
      const claim = await consumeDelivery(this.#fleet, message, ME);
      this.#over("claim");
      if (!claim.invoke_model) continue;
      this.#see({ claimed: claim });
      this.now += 1;
      await renewDelivery(this.#fleet, claim, { ...ME, tokensUsed: 10 });
      this.#over("renew");
      await this.#finish(claim);
    }
  }

  /** A harness that wrote its claim down makes the same finish again when it comes back. Undefined where it owes none. */
  async finishAgain(): Promise<Answer | undefined> {
    const last = seenLog(this.#place).entries().at(-1);
    return last !== undefined && "claimed" in last ? this.#finish(last.claimed) : undefined;
  }

  async #finish(claim: Claim): Promise<Answer> {
    this.now += 1;
    const isFirst = claim.checkpoint["step"] === 0;
    if (!isFirst) writeFileSync(join(this.#place.outside, claim.job_id), "the page");
    const outcome = isFirst ? { checkpoint: { step: 1 } } : { checkpoint: { step: 2 }, result: { kind: "report" } };
    const answer = await finishDelivery(this.#fleet, claim, { ...ME, ...outcome, tokensUsed: 20 });
    this.#see({ over: claim.attempt_id, answer });
    this.#over("finish");
    return answer;
  }

  #see(seen: Seen): void {
    seenLog(this.#place).append(seen);
  }

  #over(name: Act["name"]): void {
    this.acts.push({ name, calls: this.#points?.calls ?? 0 });
  }
}

export function seenLog({ outside }: Place): LineLog<Seen> {
  return new LineLog(join(outside, "seen.log"));
}

/** The messages that left, in order. */
export function mailLog({ outside }: Place): LineLog<string> {
  return new LineLog(join(outside, "mail.log"));
}

function mailerTo(place: Place): Mailer {
  const mailer = new FakeMailer();
  mailer.onSent = (letters) => {
    for (const { message } of letters) mailLog(place).append(message);
  };
  return mailer;
}

/** A page stands from the moment on that the harness puts its file outside. */
class PushedPages extends FakePages {
  readonly #outside: string;

  constructor({ outside }: Place) {
    super();
    this.#outside = outside;
  }

  protected override isDurable(address: string): boolean {
    return existsSync(join(this.#outside, address));
  }
}
