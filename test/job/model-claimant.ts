import fc from "fast-check";
import type { Answer } from "../../src/answer.ts";
import { checkpointJob } from "../../src/callback/checkpoint-job.ts";
import { consumeDelivery } from "../../src/callback/consume-delivery.ts";
import type { ClaimRef } from "../../src/callback/decide-on-claim.ts";
import { failDelivery } from "../../src/callback/fail-delivery.ts";
import { finishDelivery } from "../../src/callback/finish-delivery.ts";
import { renewDelivery } from "../../src/callback/renew-delivery.ts";
import { formatTime } from "../../src/job/time.ts";
import { TRAIN } from "../support/job-builder.ts";
import type { MemoryFleet } from "../support/memory-fleet.ts";
import { NOON } from "../support/noon.ts";
import { ADDRESSES, back, type Command, command, details, type Model, results, said, trees } from "./model-command.ts";
import { modelCheckpoint, modelClaim, modelFail, modelFinish, modelRenew, type Report, type Work } from "./reference-calls.ts";
import type { ModelClaim, Reply } from "./reference-model.ts";

const WORKERS = ["worker-one", "worker-two", "cursor-nine"] as const;
const workers = fc.constantFrom("worker-one", "worker-one", "worker-one", "worker-two", "cursor-nine");
const places = fc.constantFrom(0, 0, 0, 0, 0, 1, 2);
const maybe = <Value>(values: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> => fc.option(values, { nil: undefined });
const reports = fc.record({ tokens: maybe(fc.constantFrom(0, 10, 60, 500)), cost: maybe(fc.constantFrom(0, 0.5, 2)) });

const usage = ({ tokens, cost }: Report): { readonly tokensUsed?: number; readonly costUsd?: number } => ({
  ...(tokens !== undefined && { tokensUsed: tokens }),
  ...(cost !== undefined && { costUsd: cost }),
});

const hasOffer = ({ job }: Model): boolean => job.offers.length > 0;
const hasClaim = ({ job }: Model): boolean => job.claims.length > 0;

export const claims = fc
  .record({
    place: places,
    worker: workers,
    claimId: fc.constantFrom(undefined, "claim-of-the-caller-1", "claim-of-the-caller-2"),
  })
  .map(({ place, worker, claimId }) =>
    command(
      `claim by ${worker}, ${place} back${claimId ? ` as ${claimId}` : ""}`,
      ({ job, world }) =>
        modelClaim(job, world, back(job.offers, place).attempt, worker, claimId ?? `of its own ${job.history.length}`),
      async ({ fleet, offers, claims: taken }) => {
        const { mail } = back(offers, place);
        const call = consumeDelivery(fleet, mail, { workerId: worker, ...(claimId && { claimId }) });
        const answer = await call;
        if (answer.state === "CLAIMED" && !answer.replay) taken.push(answer);
        return said(call);
      },
      hasOffer,
    ),
  );

/** A call on a claim, by its worker or by another. */
function onClaim(
  name: string,
  place: number,
  worker: string | undefined,
  inModel: (model: Model, claim: ModelClaim, worker: string) => Reply,
  inProgram: (fleet: MemoryFleet, claim: ClaimRef, workerId: string) => Promise<Answer>,
): Command {
  return command(
    `${name} by ${worker ?? "its worker"}, ${place} back`,
    (model) => {
      const claim = back(model.job.claims, place);
      return inModel(model, claim, worker ?? claim.worker);
    },
    ({ fleet, claims: taken }, { job }) => said(inProgram(fleet, back(taken, place), worker ?? back(job.claims, place).worker)),
    hasClaim,
  );
}

const callers = fc.constantFrom(undefined, undefined, undefined, undefined, undefined, undefined, ...WORKERS);

export const renewals = fc.record({ place: places, worker: callers, report: reports }).map(({ place, worker, report }) =>
  onClaim(
    `renew ${JSON.stringify(report)}`,
    place,
    worker,
    ({ job, world }, claim, by) => modelRenew(job, world, claim, by, report),
    (fleet, claim, workerId) => renewDelivery(fleet, claim, { workerId, ...usage(report) }),
  ),
);

const works: fc.Arbitrary<Work & { readonly in?: number | undefined }> = fc
  .record({
    checkpoint: maybe(trees),
    nextWakeAt: fc.constant(undefined),
    in: fc.constantFrom(undefined, undefined, 5, 600),
    result: fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, results),
    address: fc.constantFrom(undefined, undefined, undefined, ...ADDRESSES),
    blocker: fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, details),
  })
  .map((work) => (work.result === undefined ? work : { ...work, blocker: undefined }));

export const finishes = fc
  .record({ place: places, worker: callers, report: reports, work: works })
  .map(({ place, worker, report, work }) => {
    const at = work.in === undefined ? undefined : NOON + work.in; // Not from now, so that the same call can be made again later.
    const { checkpoint, result, address, blocker } = work;
    return onClaim(
      `finish ${JSON.stringify({ ...report, ...work })}`,
      place,
      worker,
      ({ job, world }, claim, by) => modelFinish(job, world, claim, by, { ...work, nextWakeAt: at }, report),
      (fleet, claim, workerId) =>
        finishDelivery(fleet, claim, {
          workerId,
          ...usage(report),
          ...(checkpoint !== undefined && { checkpoint }),
          ...(at !== undefined && { nextWakeAt: formatTime(at) }),
          ...(result !== undefined && { result }),
          ...(address !== undefined && { resultAddress: address }),
          ...(blocker !== undefined && { blocker: { kind: "external_authority", detail: blocker } }),
        }),
    );
  });

export const failures = fc
  .record({ place: places, worker: callers, report: reports, detail: fc.constantFrom("no", "never") })
  .map(({ place, worker, report, detail }) =>
    onClaim(
      `fail (${detail}) ${JSON.stringify(report)}`,
      place,
      worker,
      ({ job, world }, claim, by) => modelFail(job, world, claim, by, detail, report),
      (fleet, claim, workerId) => failDelivery(fleet, claim, { workerId, detail, ...usage(report) }),
    ),
  );

export const directCheckpoints = fc.record({ place: places, checkpoint: trees }).map(({ place, checkpoint }) =>
  command(
    `direct checkpoint ${JSON.stringify(checkpoint)}, ${place} back`,
    ({ job, world }) => modelCheckpoint(job, world, job.offers.length - (place % job.offers.length), checkpoint),
    ({ fleet, offers }) => {
      const { mail, leaseId } = back(offers, place);
      return said(checkpointJob(fleet, TRAIN, { attemptId: mail.attempt_id, leaseId, checkpoint }));
    },
    hasOffer,
  ),
);
