import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { consumeDelivery } from "../../src/callback/consume-delivery.ts";
import { clockAt } from "../../src/facts/clock.ts";
import { randomIds } from "../../src/facts/ids.ts";
import type { Job } from "../../src/job/job.ts";
import type { Mailer } from "../../src/mail/mailer.ts";
import { mailFor, type WakeMail } from "../../src/mail/wake-mail.ts";
import { FileJobStore } from "../../src/store/file-job-store.ts";
import { runTick } from "../../src/wake/run-tick.ts";
import { Crowd } from "../support/crowd.ts";
import { dueJob } from "../support/due-job.ts";
import { FakeMailer } from "../support/fake-mailer.ts";
import { FakePages } from "../support/fake-pages.ts";
import { JobsDirectory } from "../support/jobs-directory.ts";
import { LineLog } from "../support/line-log.ts";
import { noHolds } from "../support/no-holds.ts";
import { NOON } from "../support/noon.ts";
import type { Claim, Deed, RivalAnswer, SeenClaim } from "../support/rival-harness.ts";
import { tempDirectory } from "../support/temp-directory.ts";
import { CHAOS_TIMEOUT_MS, COUNTS } from "./counts.ts";

const LEASE_SECONDS = 900;
const WORKER = "worker-one";

describe("exactly one", { timeout: CHAOS_TIMEOUT_MS }, () => {
  it("of many processes that consume one mail is answered CLAIMED, each other one REPLAY", async () => {
    await using arena = new Arena(COUNTS.rivals);
    for (let round = 1; round <= COUNTS.claimRounds; round++) {
      const mail = await arena.wake(round);
      const answers = await arena.race(Array.from({ length: COUNTS.rivals }, () => ({ kind: "claim", mail, at: NOON + 1 })));
      const states = ["CLAIMED", ...Array(COUNTS.rivals - 1).fill("REPLAY")];
      expect(answers.map(stateOf).sort(), `round ${round}`).toEqual(states);
      // Counted from what was seen, not from what was answered to us.
      const seen = arena.log.entries().slice(-COUNTS.rivals);
      expect(seen.map(({ state }) => state).sort(), `round ${round}`).toEqual(states);
      expect(seen.every(({ attempt_id }) => attempt_id === mail.attempt_id)).toBe(true);
      expect(new Set(seen.map(({ by }) => by)).size).toBe(COUNTS.rivals);
      expect(eventsOf(arena.job()), `round ${round}`).toEqual(["wake", "deliver", "delivery_claim"]);
    }
    const runs = arena.log.entries().filter(({ invoke_model }) => invoke_model);
    expect(runs).toHaveLength(COUNTS.claimRounds);
    expect(arena.log.entries()).toHaveLength(COUNTS.claimRounds * COUNTS.rivals);
  });

  it("outcome is kept of two same finishes of one claim, and both are answered it", async () => {
    await using arena = new Arena(2);
    for (let round = 1; round <= COUNTS.raceRounds; round++) {
      const finish = { kind: "finish", claim: await arena.claim(round), workerId: WORKER, at: NOON + 20 } as const;
      const answers = await arena.race([finish, finish].map((deed) => ({ ...deed, checkpoint: { step: 1 } })));
      const [first, second] = answers.toSorted((a) => (isReplay(a) ? 1 : -1));
      expect(first, `round ${round}`).toMatchObject({ ok: true, state: "CHECKPOINT", step: 1 });
      expect(isReplay(first), `round ${round}`).toBe(false);
      expect(second, `round ${round}`).toEqual({ ...first, replay: true });
      expect(eventsOf(arena.job()), `round ${round}`).toEqual(FINISHED);
    }
  });

  it("outcome is kept of two different finishes of one claim; the other one is told ALREADY_FINISHED", async () => {
    await using arena = new Arena(2);
    for (let round = 1; round <= COUNTS.raceRounds; round++) {
      const finish = { kind: "finish", claim: await arena.claim(round), workerId: WORKER, at: NOON + 20 } as const;
      const answers = await arena.race([1, 2].map((step) => ({ ...finish, checkpoint: { step } })));
      expect(answers.map(stateOf).sort(), `round ${round}`).toEqual(["ALREADY_FINISHED", "CHECKPOINT"]);
      const winner = answers.findIndex((answer) => stateOf(answer) === "CHECKPOINT");
      const job = arena.job();
      expect(job.checkpoint, `round ${round}`).toEqual({ step: winner + 1 });
      expect(eventsOf(job), `round ${round}`).toEqual(FINISHED);
    }
  });

  it("order is kept of a cancel and a finish: finished and then cancelled, or cancelled and nothing finished", async () => {
    await using arena = new Arena(2);
    const wins = { cancel: 0, finish: 0 };
    for (let round = 1; goesOn(round, wins); round++) {
      const finish = { kind: "finish", claim: await arena.claim(round), workerId: WORKER, at: NOON + 20 } as const;
      const cancel = { kind: "cancel", jobId: arena.jobId, at: NOON + 20 } as const;
      const [finished, cancelled] = inOrder(
        await raceBothWays(arena, round, { ...finish, checkpoint: { step: 1 } }, cancel),
        round,
      );
      const job = arena.job();
      expect(cancelled, `round ${round}`).toMatchObject({ ok: true, state: "CANCELLED" });
      expect(job).toMatchObject({ status: "CANCELLED", lease: null });
      const hasWon = stateOf(finished) === "CHECKPOINT";
      wins[hasWon ? "finish" : "cancel"]++;
      expect(finished, `round ${round}`).toMatchObject(hasWon ? { ok: true } : { ok: false, state: "CANCELLED" });
      expect(job.checkpoint).toEqual({ step: hasWon ? 1 : 0 });
      expect(eventsOf(job), `round ${round}`).toEqual([...(hasWon ? FINISHED : CLAIMED), "cancel"]);
    }
    expectBoth(wins);
  });

  it("end is kept of a cancel and a finish that is DONE", async () => {
    await using arena = new Arena(2);
    const wins = { cancel: 0, finish: 0 };
    for (let round = 1; goesOn(round, wins); round++) {
      const finish = { kind: "finish", claim: await arena.claim(round), workerId: WORKER, at: NOON + 20 } as const;
      const cancel = { kind: "cancel", jobId: arena.jobId, at: NOON + 20 } as const;
      const [finished, cancelled] = inOrder(
        await raceBothWays(arena, round, { ...finish, checkpoint: { step: 1 }, result: { kind: "report" } }, cancel),
        round,
      );
      const { status } = arena.job();
      wins[status === "DONE" ? "finish" : "cancel"]++;
      expect([stateOf(finished), stateOf(cancelled)], `round ${round}`).toEqual([status, status]);
      expect(["DONE", "CANCELLED"]).toContain(status);
      expect([finished, cancelled].filter((answer) => "ok" in answer && answer.ok)).toHaveLength(1);
    }
    expectBoth(wins);
  });

  it("order is kept of claims and of ticks that find the lease over: claimed and renewed, or backed off and not claimed", async () => {
    await using arena = new Arena(COUNTS.rivals);
    const wins = { claim: 0, tick: 0 };
    for (let round = 1; goesOn(round, wins); round++) {
      const mail = await arena.wake(round);
      // The claimants' clock is a second before the end of the lease, the tickers' is at it.
      const claim = { kind: "claim", mail, at: NOON + LEASE_SECONDS - 1 } as const;
      const tick = { kind: "tick", at: NOON + LEASE_SECONDS } as const;
      const answers = await arena.race(mixed<Deed>(round, claim, tick));
      const claims = answers.map(stateOf).filter((state) => state !== undefined);
      const verdicts = answers.flatMap((answer) => ("verdicts" in answer ? answer.verdicts : []));
      const half = COUNTS.rivals / 2;
      const hasWon = claims.includes("CLAIMED");
      wins[hasWon ? "claim" : "tick"]++;
      expect(claims.sort(), `round ${round}`).toEqual(
        hasWon ? ["CLAIMED", ...Array(half - 1).fill("REPLAY")] : Array(half).fill("STALE_ATTEMPT"),
      );
      expect(verdicts.sort(), `round ${round}`).toEqual(
        hasWon ? Array(half).fill("STOP LEASE_HELD") : ["BACKOFF UNCLAIMED", ...Array(half - 1).fill("STOP NOT_DUE")],
      );
      const job = arena.job();
      expect(eventsOf(job), `round ${round}`).toEqual(hasWon ? CLAIMED : ["wake", "deliver"]);
      expect(job).toMatchObject(hasWon ? { status: "LEASED", unclaimed_count: 0 } : { status: "OPEN", unclaimed_count: 1 });
    }
    expectBoth(wins);
  });

  it("claim is answered CLAIMED also while rival ticks send the owed mail once more", async () => {
    await using arena = new Arena(COUNTS.rivals);
    const offers = { once: 0, again: 0 };
    for (let round = 1; goesOn(round, offers); round++) {
      const mail = await arena.wake(round, new FakeMailer("unreached"));
      const at = NOON + 61;
      const answers = await arena.race(mixed<Deed>(round, { kind: "claim", mail, at }, { kind: "tick", at }));
      const claims = answers.map(stateOf).filter((state) => state !== undefined);
      const verdicts = answers.flatMap((answer) => ("verdicts" in answer ? answer.verdicts : []));
      expect(claims.sort(), `round ${round}`).toEqual(["CLAIMED", ...Array(COUNTS.rivals / 2 - 1).fill("REPLAY")]);
      const redelivered = verdicts.filter((verdict) => verdict === "WAKE REDELIVER").length;
      expect(redelivered, `round ${round}`).toBeLessThanOrEqual(1);
      offers[redelivered === 1 ? "again" : "once"]++;
      const job = arena.job();
      expect(eventsOf(job).filter((event) => event === "delivery_claim")).toHaveLength(1);
      expect(job).toMatchObject({ status: "LEASED", attempt_count: 1 });
    }
    expectBoth(offers);
  });
});

const CLAIMED = ["wake", "deliver", "delivery_claim"];
const FINISHED = [...CLAIMED, "checkpoint", "ack"];

/** A directory with one job, new in each round, and a crowd of rivals over it. */
class Arena implements AsyncDisposable {
  readonly log = new LineLog<SeenClaim>(join(tempDirectory(), "claims"));
  readonly #directory = new JobsDirectory([]);
  readonly #crowd: Crowd<Deed, RivalAnswer>;
  #round = 0;

  constructor(rivals: number) {
    // The page of every round's job stands.
    const pages = Array.from({ length: ROUNDS_MAX }, (_, i) => jobIdOf(i + 1));
    this.#crowd = Crowd.alike(rivals, "./rival-harness.ts", this.#directory.path, this.log.path, ...pages);
  }

  get jobId(): string {
    return jobIdOf(this.#round);
  }

  job(): Job {
    return this.#directory.job(this.jobId);
  }

  /** This round's job, woken and mailed when chaos begins; its mail. */
  async wake(round: number, mailer: Mailer = new FakeMailer()): Promise<WakeMail> {
    if (this.#round > 0) rmSync(this.#directory.fileOf(this.jobId));
    this.#round = round;
    this.#directory.write(dueJob(this.jobId, { lease_seconds: LEASE_SECONDS, result_address: this.jobId }));
    await runTick({ ...this.#fleetAt(NOON), mailer }, { workerId: "watchdog" });
    const mail = mailFor(this.job());
    if (mail === undefined) throw new Error(`${this.jobId} offers nothing`);
    return mail;
  }

  /** This round's job, claimed by {@link WORKER}. */
  async claim(round: number): Promise<Claim> {
    const mail = await this.wake(round);
    const claim = await consumeDelivery(this.#fleetAt(NOON + 10), mail, { workerId: WORKER });
    if (!claim.invoke_model) throw new Error(`the claim was answered ${claim.state}`);
    return claim;
  }

  race(deeds: readonly Deed[]): Promise<RivalAnswer[]> {
    return this.#crowd.race(deeds);
  }

  #fleetAt(now: number) {
    const clock = clockAt(now);
    const store = new FileJobStore({ directory: this.#directory.path, clock });
    return { store, pages: new FakePages(), holds: noHolds, clock, ids: randomIds };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#crowd[Symbol.asyncDispose]();
    this.#directory[Symbol.dispose]();
  }
}

const ROUNDS_MAX = 4 * COUNTS.raceRounds;

function jobIdOf(round: number): string {
  return `contested-${String(round).padStart(4, "0")}`;
}

/** Chance may favour one of the two for a while; a test that only ever saw one order would show half of it. */
function goesOn(round: number, wins: Readonly<Record<string, number>>): boolean {
  return round <= COUNTS.raceRounds || (round <= ROUNDS_MAX && Object.values(wins).includes(0));
}

function expectBoth(wins: Readonly<Record<string, number>>): void {
  expect(Object.values(wins), JSON.stringify(wins)).not.toContain(0);
}

/** Who is told first has a start of some microseconds: by turns it is the one and the other. */
function raceBothWays(arena: Arena, round: number, one: Deed, other: Deed): Promise<RivalAnswer[]> {
  return arena.race(round % 2 === 0 ? [one, other] : [other, one]);
}

function inOrder(answers: readonly RivalAnswer[], round: number): [RivalAnswer, RivalAnswer] {
  const [first, second] = answers;
  if (first === undefined || second === undefined) throw new Error("two race, and two answer");
  return round % 2 === 0 ? [first, second] : [second, first];
}

function mixed<Kind extends Deed>(round: number, one: Kind, other: Kind): Kind[] {
  return Array.from({ length: COUNTS.rivals }, (_, i) => ((i + round) % 2 === 0 ? one : other));
}

function stateOf(answer: RivalAnswer): string | undefined {
  if ("thrown" in answer) throw new Error(answer.thrown);
  return "state" in answer ? answer.state : undefined;
}

function isReplay(answer: RivalAnswer | undefined): boolean {
  return answer !== undefined && "replay" in answer && answer.replay === true;
}

function eventsOf(job: Job): readonly string[] {
  return job.event_receipts.map(({ event }) => event);
}
