import fc from "fast-check";
import { expect, test } from "vitest";
import type { ClaimRef } from "../../src/callback/claim-step.ts";
import { consumeDelivery } from "../../src/callback/consume-delivery.ts";
import { failDelivery } from "../../src/callback/fail-delivery.ts";
import { finishDelivery } from "../../src/callback/finish-delivery.ts";
import { renewDelivery } from "../../src/callback/renew-delivery.ts";
import type { Answer } from "../../src/fleet.ts";
import { isClaimed, isMailed, isMailOwed, latestWake } from "../../src/job/attempt.ts";
import { CURSOR_QUOTA_HOLD } from "../../src/job/hold.ts";
import { isLeaseLive, type Job, momentOf } from "../../src/job/job.ts";
import { blockerOf } from "../../src/job/moves/owner-change.ts";
import type { WakeMail } from "../../src/mail/wake-mail.ts";
import { blockJob, cancelJob, unblockJob, updateJob } from "../../src/owner/change-job.ts";
import { MemoryFleet, NOON, noonPlus, TRAIN, verdict, WORKER } from "../support/memory-fleet.ts";
import { type Mail, ReferenceModel, type Terms, type Work } from "./reference-model.ts";

/** The program as the commands drive it: its fleet, and the claims that it answered, in the model's order. */
interface Real {
  readonly fleet: MemoryFleet;
  readonly claims: ClaimRef[];
}

type Command = fc.AsyncCommand<ReferenceModel, Real>;

/** A step that both take and that both must answer alike; afterwards the job must stand where the model says. */
function command(
  name: string,
  inModel: (model: ReferenceModel) => string,
  inProgram: (real: Real, model: ReferenceModel) => Promise<string>,
  check: (model: Readonly<ReferenceModel>) => boolean = () => true,
): Command {
  return {
    check,
    async run(model, real) {
      // The program first: it may look at the model as it was before.
      const answered = await inProgram(real, model);
      expect(answered, name).toBe(inModel(model));
      expect(standing(await real.fleet.job(), model), name).toEqual(expected(model));
    },
    toString: () => name,
  };
}

/** Where the real job stands, in the model's words. */
function standing(job: Job, { world }: ReferenceModel): object {
  const wake = latestWake(job);
  const events = (event: string, attempt_id?: string) =>
    job.event_receipts.filter((receipt) => receipt.event === event && receipt.attempt_id === (attempt_id ?? receipt.attempt_id));
  return {
    status: job.status,
    step: job.checkpoint["step"],
    attempt: wake?.attempt_id,
    attempts: job.attempt_count,
    wokeOnce: job.woke_once,
    isLeaseLive: isLeaseLive(job, world.now),
    until: job.lease && momentOf(job.lease.until),
    nextWakeAt: momentOf(job.next_wake_at),
    isInBackoff: job.in_backoff,
    noProgress: job.no_progress_count,
    unclaimed: job.unclaimed_count,
    tokens: job.tokens_used,
    exhaustedFor: job.exhausted_reason,
    isClaimed: wake !== undefined && isClaimed(job, wake.attempt_id),
    isMailed: wake !== undefined && isMailed(wake),
    isMailOwed: wake !== undefined && !world.isHeld && isMailOwed(job, wake),
    deliveries: events("deliver", wake?.attempt_id).map(({ carrier, count }) => `${carrier} ${count}`),
    claims: events("delivery_claim").length,
    acks: events("ack").length,
    autoCompletes: events("auto_complete").length,
    exhausts: events("exhaust").length,
    holds: events("cursor_quota_hold").length,
  };
}

function expected(model: ReferenceModel): object {
  const { offer, lease } = model;
  return {
    status: model.status,
    step: model.step,
    attempt: offer && attemptName(offer.attempt),
    attempts: model.attempts,
    wokeOnce: model.attempts > 0,
    isLeaseLive: model.isLeaseLive,
    until: lease?.until ?? null,
    nextWakeAt: model.nextWakeAt,
    isInBackoff: model.isInBackoff,
    noProgress: model.noProgress,
    unclaimed: model.unclaimed,
    tokens: model.tokens,
    exhaustedFor: model.exhaustedFor,
    isClaimed: model.isClaimed,
    isMailed: offer?.isMailed ?? false,
    isMailOwed: model.isMailOwed,
    deliveries: (model.deliveries.get(offer?.attempt ?? 0) ?? []).map(({ carrier, count }) => `${carrier} ${count}`),
    claims: model.claims.length,
    acks: model.claims.filter(({ finished }) => finished !== undefined).length,
    autoCompletes: model.isAutoCompleted ? 1 : 0,
    exhausts: model.exhaustedFor === undefined ? 0 : 1,
    holds: model.holdReceipts,
  };
}

function attemptName(attempt: number): string {
  return `${TRAIN}-a${String(attempt).padStart(2, "0")}`;
}

/** What an answer says, in the model's words. Only a fresh claim may ever run a model. */
function said({ state, replay, invoke_model }: Answer): string {
  expect(invoke_model).toBe(state === "CLAIMED");
  return replay ? `${state} again` : state;
}

const mails = fc.constantFrom<Mail>("up", "up", "up", "down", "down", "unreached");
const tokens = fc.option(fc.nat(120), { nil: undefined });
const work: fc.Arbitrary<Work> = fc.record({
  step: fc.constantFrom(undefined, undefined, 0, 1, 2, 3),
  hasResult: fc.constantFrom(false, false, true),
  tokens,
});

/** Which of the claims so far, counted from the latest; mostly that one, and mostly by who made it. */
const whose = fc.record({
  back: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.nat(3)),
  isTheirs: fc.oneof({ weight: 9, arbitrary: fc.constant(true) }, fc.constant(false)),
});

const tick = (delivers: boolean, mail: Mail): Command =>
  command(
    delivers ? `tick --deliver, mail ${mail}` : "tick",
    (model) => model.tick(delivers, mail),
    async ({ fleet }) => {
      fleet.mailer.weather = mail;
      return verdict(await (delivers ? fleet.deliver() : fleet.tick()));
    },
  );

const claim = (back: number): Command =>
  command(
    `claim attempt latest-${back}`,
    (model) => model.claim(model.attempts - back),
    async ({ fleet, claims }, model) => {
      const answer = await consumeDelivery(fleet, mailOf(model.attempts - back), { workerId: WORKER });
      if (answer.invoke_model) claims.push(answer);
      return said(answer);
    },
    (model) => model.attempts - back >= 1,
  );

function mailOf(attempt: number): WakeMail {
  const attempt_id = attemptName(attempt);
  return { from: "HARNESS_WAKE", to: "HARBOR", id: TRAIN, job_id: TRAIN, attempt_id, harness: "script", body: "" };
}

/** A command of one who claimed. */
function byClaimant(
  name: string,
  back: number,
  isTheirs: boolean,
  inModel: (model: ReferenceModel, claim: ReferenceModel["claims"][number]) => string,
  inProgram: (fleet: MemoryFleet, claim: ClaimRef, workerId: string) => Promise<Answer>,
): Command {
  return command(
    `${name} of claim latest-${back}${isTheirs ? "" : " by a stranger"}`,
    (model) => inModel(model, required(model.claims.at(-1 - back))),
    async ({ fleet, claims }) => said(await inProgram(fleet, required(claims.at(-1 - back)), isTheirs ? WORKER : "worker-two")),
    (model) => model.claims.length > back,
  );
}

function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("there are not so many claims");
  return value;
}

const ticks = fc
  .tuple(fc.oneof({ weight: 3, arbitrary: fc.constant(true) }, fc.constant(false)), mails)
  .map(([delivers, mail]) => tick(delivers, mail));

const claims = fc.oneof({ weight: 6, arbitrary: fc.constant(0) }, fc.constantFrom(1, -1)).map(claim);

const renewals = fc.tuple(whose, tokens).map(([{ back, isTheirs }, tokensUsed]) =>
  byClaimant(
    `renew with ${tokensUsed}`,
    back,
    isTheirs,
    (model, claimed) => model.renew(claimed, isTheirs, tokensUsed),
    (fleet, claimed, workerId) => renewDelivery(fleet, claimed, { workerId, ...(tokensUsed !== undefined && { tokensUsed }) }),
  ),
);

const finishes = fc.tuple(whose, work).map(([{ back, isTheirs }, done]) =>
  byClaimant(
    `finish with ${JSON.stringify(done)}`,
    back,
    isTheirs,
    (model, claimed) => model.finish(claimed, isTheirs, done),
    (fleet, claimed, workerId) =>
      finishDelivery(fleet, claimed, {
        workerId,
        ...(done.step !== undefined && { checkpoint: { step: done.step } }),
        ...(done.hasResult && { result: { kind: "page" } }),
        ...(done.tokens !== undefined && { tokensUsed: done.tokens }),
      }),
  ),
);

const failures = fc.tuple(whose, tokens).map(([{ back, isTheirs }, tokensUsed]) =>
  byClaimant(
    `fail with ${tokensUsed}`,
    back,
    isTheirs,
    (model, claimed) => model.fail(claimed, isTheirs, tokensUsed),
    (fleet, claimed, workerId) =>
      failDelivery(fleet, claimed, { workerId, detail: "gave up", ...(tokensUsed !== undefined && { tokensUsed }) }),
  ),
);

/** Often right at an edge of a lease or a pause, and now and then back. */
const clockSteps = fc
  .oneof(
    { weight: 4, arbitrary: fc.constantFrom(1, 59, 60, 120, 240, 899, 900, 901, 3600, 20_000) },
    { weight: 2, arbitrary: fc.integer({ min: 1, max: 5000 }) },
    { weight: 1, arbitrary: fc.constantFrom(-1, -60, -1200, -90_000) },
  )
  .map((seconds) =>
    command(
      `clock steps ${seconds}`,
      (model) => model.stepClock(seconds),
      async ({ fleet }) => {
        fleet.clock.step(seconds);
        return String(fleet.clock.now());
      },
    ),
  );

const pages = fc.boolean().map((isThere) =>
  command(
    isThere ? "page pushed" : "page gone",
    (model) => model.setPage(isThere),
    async ({ fleet }) => {
      if (isThere) fleet.pages.durable.add(TRAIN);
      else fleet.pages.durable.delete(TRAIN);
      return String(isThere);
    },
  ),
);

const holds = fc.oneof({ weight: 2, arbitrary: fc.constant(false) }, fc.constant(true)).map((isHeld) =>
  command(
    isHeld ? "hold on" : "hold lifted",
    (model) => model.setHold(isHeld),
    async ({ fleet }) => {
      fleet.rules = isHeld ? [{ ...CURSOR_QUOTA_HOLD, match: ["script"] }] : [];
      return String(isHeld);
    },
  ),
);

const details = fc.constantFrom("the dock is closed", "no key");

const blocks = details.map((detail) =>
  command(
    `block: ${detail}`,
    (model) => model.block(detail),
    async ({ fleet }) => said(await blockJob(fleet, TRAIN, "external_authority", detail)),
  ),
);

const writtenBlockers = details.map((detail) =>
  command(
    `blocker written into the file: ${detail}`,
    (model) => model.writeBlocker(detail),
    async ({ fleet }) => {
      fleet.edit({ blocker: blockerOf("external_authority", detail) });
      return "WRITTEN";
    },
    (model) => !model.isTerminal,
  ),
);

const unblocks = fc.constant(
  command(
    "unblock",
    (model) => model.unblock(),
    async ({ fleet }) => said(await unblockJob(fleet, TRAIN)),
  ),
);

const ownersSteps = fc.nat(4).map((step) =>
  command(
    `owner sets step ${step}`,
    (model) => model.updateStep(step),
    async ({ fleet }) => said(await updateJob(fleet, TRAIN, { checkpoint: { step } })),
  ),
);

const cancels = fc.constant(
  command(
    "cancel",
    (model) => model.cancel(),
    async ({ fleet }) => said(await cancelJob(fleet, TRAIN, "enough")),
  ),
);

/** How often each is drawn. What ends a walk, or makes it stand still, is rare, so that walks go deep. */
const WEIGHTED: readonly (readonly [number, fc.Arbitrary<Command>])[] = [
  [20, ticks],
  [18, claims],
  [7, renewals],
  [10, finishes],
  [4, failures],
  [16, clockSteps],
  [3, pages],
  [2, holds],
  [1, blocks],
  [2, writtenBlockers],
  [3, unblocks],
  [2, ownersSteps],
  [1, cancels],
];

const terms: fc.Arbitrary<Terms> = fc.record({
  leaseSeconds: fc.constantFrom(1, 60, 900, 900, 900),
  base: fc.constantFrom(1, 60),
  cap: fc.constantFrom(60, 300, 3600),
  maxAttempts: fc.constantFrom(1, 2, 3, 8, 8, 8),
  noProgressBefore: fc.constantFrom(0, 0, 0, 1, 7),
  budget: fc.constantFrom(50, 200, 100_000),
  deadline: fc.constantFrom(NOON + 20_000, NOON + 10_000_000, NOON + 10_000_000),
  predicate: fc.oneof(
    fc.constantFrom("status_done" as const, "result_address_on_head" as const),
    fc.record({ step: fc.integer({ min: 1, max: 4 }) }),
  ),
  hasAddress: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, fc.constant(false)),
});

function documentOf({ predicate, ...rest }: Terms): Readonly<Record<string, unknown>> {
  return {
    lease_seconds: rest.leaseSeconds,
    backoff_seconds: rest.base,
    max_backoff_seconds: rest.cap,
    max_attempts: rest.maxAttempts,
    no_progress_count: rest.noProgressBefore,
    budget_tokens: rest.budget,
    deadline: noonPlus(rest.deadline - NOON),
    next_wake_at: noonPlus(0),
    completion_predicate:
      typeof predicate === "object" ? { type: "checkpoint_equals", value: predicate.step } : { type: predicate },
    result_address: rest.hasAddress ? TRAIN : "",
  };
}

test("whatever happens in whatever order, the job stands where the contract says", async () => {
  const reached = new Map<string, number>();
  const sequence = fc.commands(
    WEIGHTED.flatMap(([weight, made]) => Array.from({ length: weight }, () => made.map((step) => noting(step, reached)))),
    { size: "max", maxCommands: 100 },
  );
  await fc.assert(
    fc.asyncProperty(terms, sequence, async (agreed, steps) => {
      const setup = () => {
        const fleet = new MemoryFleet();
        fleet.rules = [];
        fleet.put(documentOf(agreed));
        const model = new ReferenceModel(agreed, { now: NOON, isPageThere: false, isHeld: false });
        return { model, real: { fleet, claims: [] } };
      };
      await fc.asyncModelRun(setup, steps);
    }),
    { numRuns: 500 },
  );
  // A walk that never gets anywhere would agree with anything.
  for (const answer of MUST_BE_REACHED) expect([...reached.keys()]).toContain(answer);
});

/** Every row of the table and every answer of a claimant; a run in which one never came up has not tested it. */
const MUST_BE_REACHED = [
  ...["DONE", "CANCELLED", "EXHAUSTED", "DEADLINE", "BUDGET", "BLOCKED_UNCHANGED", "LEASE_HELD", "NOT_DUE", "MAIL_OWED"].map(
    (reason) => `STOP ${reason}`,
  ),
  ...["MAX_ATTEMPTS", "NO_PROGRESS"].map((reason) => `STOP ${reason}`),
  ...["RUNNABLE", "REDELIVER", "REOFFER"].map((reason) => `WAKE ${reason}`),
  ...["UNCLAIMED", "UNCHANGED_CHECKPOINT"].map((reason) => `BACKOFF ${reason}`),
  "HOLD CURSOR_QUOTA_HOLD",
  ...["CLAIMED", "REPLAY", "STALE_ATTEMPT", "RENEWED", "LEASE_LOST", "CHECKPOINT", "CHECKPOINT again", "DONE", "NOT_DURABLE"],
  ...["ALREADY_FINISHED", "FAILED", "FAILED again", "CANCELLED", "CURSOR_QUOTA_HOLD", "LEASE_HELD", "BLOCKED", "UNBLOCKED"],
];

/** The same command, which also writes down what was answered. */
function noting(made: Command, reached: Map<string, number>): Command {
  return {
    check: (model) => made.check(model),
    run: (model, real) => made.run(recording(model, reached), real),
    toString: () => made.toString(),
  };
}

function recording(model: ReferenceModel, reached: Map<string, number>): ReferenceModel {
  return new Proxy(model, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== "function") return value;
      return (...args: unknown[]): unknown => {
        const answer: unknown = value.apply(target, args);
        if (typeof answer === "string") reached.set(answer, (reached.get(answer) ?? 0) + 1);
        return answer;
      };
    },
  });
}
