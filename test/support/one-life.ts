import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Claimed, consumeDelivery } from "../../src/callback/consume-delivery.ts";
import { finishDelivery } from "../../src/callback/finish-delivery.ts";
import { renewDelivery } from "../../src/callback/renew-delivery.ts";
import { systemClock } from "../../src/facts/clock.ts";
import { randomIds } from "../../src/facts/ids.ts";
import type { Answer, Fleet } from "../../src/fleet.ts";
import type { PlainJson } from "../../src/json/plain-json.ts";
import type { Mailer } from "../../src/mail/mailer.ts";
import type { PageOracle } from "../../src/pages/page-oracle.ts";
import { type Disk, nodeDisk } from "../../src/store/disk.ts";
import { FileJobStore } from "../../src/store/file-job-store.ts";
import { runTick } from "../../src/wake/run-tick.ts";
import type { TickSummary } from "../../src/wake/summary.ts";
import { CHAOS_BEGINS } from "./due-job.ts";
import type { KillPoints } from "./kill-points.ts";
import { noHolds } from "./no-holds.ts";

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

  constructor(place: Place, { points, disk = nodeDisk, from = CHAOS_BEGINS }: LifeSetting = {}) {
    const wrap = <Port extends object>(port: Port): Port => points?.wrap(port) ?? port;
    this.#place = place;
    this.#points = points;
    this.now = from;
    const clock = wrap({ now: () => this.now, monotonic: systemClock.monotonic });
    const store = wrap(new FileJobStore({ directory: place.jobs, clock, disk: wrap(disk) }));
    this.#fleet = { store, pages: wrap(pushedPages(place)), holds: noHolds, clock, ids: wrap(randomIds) };
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
    for (const message of mailIn(this.#place)) {
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
    const last = seenAt(this.#place).at(-1);
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
    appendFileSync(join(this.#place.outside, SEEN), `${JSON.stringify(seen)}\n`);
  }

  #over(name: Act["name"]): void {
    this.acts.push({ name, calls: this.#points?.calls ?? 0 });
  }
}

const SEEN = "seen.log";
const MAIL = "mail.log";

export function seenAt({ outside }: Place): Seen[] {
  return linesOf(join(outside, SEEN)).map((line): Seen => JSON.parse(line));
}

/** The messages that left, in order. */
export function mailIn({ outside }: Place): string[] {
  return linesOf(join(outside, MAIL));
}

function linesOf(path: string): string[] {
  return existsSync(path) ? readFileSync(path, "utf8").split("\n").slice(0, -1) : [];
}

function mailerTo({ outside }: Place): Mailer {
  return {
    send: async (letters) => {
      for (const { message } of letters) appendFileSync(join(outside, MAIL), `${message}\n`);
      const mailed = { carrier: "MAIL", host: "https://ntfy.example.net/harbor", http_status: 200 } as const;
      return new Map(letters.map(({ attempt_id }) => [attempt_id, mailed]));
    },
  };
}

/** A page stands from the moment on that the harness puts its file outside. */
function pushedPages({ outside }: Place): PageOracle {
  return {
    atHead: async () => ({
      states: async (asked) =>
        new Map(asked.map((address) => [address, existsSync(join(outside, address)) ? "durable" : "absent"])),
    }),
  };
}
