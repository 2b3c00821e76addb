import fc from "fast-check";
import { formatTime } from "../../src/job/time.ts";
import { appendReceipt } from "../../src/owner/append-receipt.ts";
import { blockJob, cancelJob, releaseJob, unblockJob, updateJob } from "../../src/owner/change-job.ts";
import { completeJob } from "../../src/owner/complete-job.ts";
import type { OwnerFields } from "../../src/owner/owner-fields.ts";
import { TRAIN } from "../support/job-builder.ts";
import { NOON } from "../support/noon.ts";
import { ADDRESSES, type Command, command, details, type Model, results, said, trees } from "./model-command.ts";
import { isOver, type ModelJob } from "./reference-model.ts";
import {
  type Edit,
  modelBlock,
  modelCancel,
  modelComplete,
  modelObserve,
  modelRelease,
  modelUnblock,
  modelUpdate,
} from "./reference-owner.ts";

const edits: fc.Arbitrary<Edit & { readonly in?: number }> = fc.oneof(
  fc.record({ harness: fc.constantFrom("script", "cursor-agent") }),
  fc.record({ harness: fc.constant("script") }),
  fc.record({ checkpoint: trees }),
  fc.record({ predicate: fc.constantFrom<ModelJob["predicate"]>("status_done", "result_address_on_head", { step: 2 }) }),
  fc.record({ address: fc.constantFrom("", ...ADDRESSES) }),
  fc.record({ nextWakeAt: fc.constantFrom(NOON, NOON + 3600) }),
  fc.record({ deadline: fc.constantFrom(NOON + 7200, NOON + 10_000_000) }),
  fc.record({ budget: fc.constantFrom(50, 100_000) }),
  fc.record({ maxAttempts: fc.constantFrom(1, 3, 9) }),
);

export const updates = edits.map((edit) =>
  command(
    `update ${JSON.stringify(edit)}`,
    ({ job, world }) => modelUpdate(job, world, edit),
    ({ fleet }) => said(updateJob(fleet, TRAIN, fieldsOf(edit))),
  ),
);

/** The fields of a job file for what the model calls by its own words. */
export function fieldsOf(edit: Edit): OwnerFields {
  const { harness, checkpoint, predicate, address, nextWakeAt, deadline, budget, maxAttempts } = edit;
  return {
    ...(harness !== undefined && { harness }),
    ...(checkpoint !== undefined && { checkpoint }),
    ...(predicate !== undefined && {
      completion_predicate:
        typeof predicate === "object" ? { type: "checkpoint_equals", value: Number(predicate.step) } : { type: predicate },
    }),
    ...(address !== undefined && { result_address: address }),
    ...(nextWakeAt !== undefined && { next_wake_at: formatTime(nextWakeAt) }),
    ...(deadline !== undefined && { deadline: formatTime(deadline) }),
    ...(budget !== undefined && { budget_tokens: budget }),
    ...(maxAttempts !== undefined && { max_attempts: maxAttempts }),
  };
}

export const blocks = details.map((detail) =>
  command(
    `block: ${detail}`,
    ({ job, world }) => modelBlock(job, world, detail),
    ({ fleet }) => said(blockJob(fleet, TRAIN, "external_authority", detail)),
  ),
);

export const unblocks = fc.constant(
  command(
    "unblock",
    ({ job, world }) => modelUnblock(job, world),
    ({ fleet }) => said(unblockJob(fleet, TRAIN)),
  ),
);

export const releases = fc.constant(
  command(
    "release",
    ({ job, world }) => modelRelease(job, world),
    ({ fleet }) => said(releaseJob(fleet, TRAIN)),
  ),
);

export const cancels = fc.constant(
  command(
    "cancel",
    ({ job, world }) => modelCancel(job, world),
    ({ fleet }) => said(cancelJob(fleet, TRAIN, "enough")),
  ),
);

export const completions = fc.record({ address: fc.constantFrom(...ADDRESSES), result: results }).map(({ address, result }) =>
  command(
    `complete with ${JSON.stringify(result)} at ${address}`,
    ({ job, world }) => modelComplete(job, world, address, result),
    ({ fleet }) => said(completeJob(fleet, TRAIN, { resultAddress: address, result })),
  ),
);

export const observations = fc.constantFrom(0, 1).map((plus) =>
  command(
    `observe slack_seen ${plus}`,
    ({ job }) => modelObserve(job, "slack_seen", "1700000000.000100", NOON + plus),
    ({ fleet }) =>
      said(
        appendReceipt(fleet, TRAIN, {
          event: "slack_seen",
          attempt_id: "1700000000.000100",
          ts: formatTime(NOON + plus),
        }),
      ),
  ),
);

const isOpen = ({ job }: Model): boolean => !isOver(job);

/** What somebody writes into the file by hand, past every call. */
export const handEdits: fc.Arbitrary<Command> = fc.oneof(
  details.map((detail) =>
    command(
      `by hand: blocker ${detail}`,
      ({ job }) => {
        job.blocker = detail;
      },
      async ({ fleet }) => fleet.edit({ blocker: { kind: "external_authority", detail } }),
      isOpen,
    ),
  ),
  fc.constant(
    command(
      "by hand: attempt_count 0",
      ({ job }) => {
        job.attempts = 0;
      },
      async ({ fleet }) => fleet.edit({ attempt_count: 0 }),
      isOpen,
    ),
  ),
  trees.map((checkpoint) =>
    command(
      `by hand: checkpoint ${JSON.stringify(checkpoint)}`,
      ({ job }) => {
        job.checkpoint = checkpoint;
      },
      async ({ fleet }) => fleet.edit({ checkpoint }),
      isOpen,
    ),
  ),
);
