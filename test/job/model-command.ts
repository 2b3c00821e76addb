import fc from "fast-check";
import { expect } from "vitest";
import type { Answer } from "../../src/answer.ts";
import type { ClaimRef } from "../../src/callback/decide-on-claim.ts";
import { JobError } from "../../src/errors/job-error.ts";
import type { WakeMail } from "../../src/mail/wake-mail.ts";
import { TRAIN } from "../support/job-builder.ts";
import type { MemoryFleet } from "../support/memory-fleet.ts";
import { modelStanding, realStanding } from "./model-standing.ts";
import type { ModelJob, Reply, World } from "./reference-model.ts";

export interface Model {
  readonly job: ModelJob;
  readonly world: World;
  readonly reached: Set<string>;
}

/** The program, and what it handed out: the mail and lease of each offer, and each claim, in the model's order. */
export interface Real {
  readonly fleet: MemoryFleet;
  readonly offers: { readonly mail: WakeMail; readonly leaseId: string }[];
  readonly claims: ClaimRef[];
}

export type Command = fc.AsyncCommand<Model, Real>;

/** A step that model and program take; both must answer alike, and leave the job alike. */
export function command(
  name: string,
  inModel: (model: Model) => unknown,
  inProgram: (real: Real, model: Model) => Promise<unknown>,
  check: (model: Readonly<Model>) => boolean = () => true,
): Command {
  return {
    check,
    async run(model, real) {
      const answered = await inProgram(real, model);
      const expected = inModel(model);
      model.reached.add(wordOf(expected));
      expect(answered, name).toEqual(expected);
      expect(await realStanding(real.fleet), name).toEqual(modelStanding(model.job, model.world.now));
    },
    toString: () => name,
  };
}

function wordOf(answer: unknown): string {
  const { action, reason, state, threw, replay } = Object(answer) as Record<string, unknown>;
  return [action, reason, state, threw, replay === true && "again"].filter(Boolean).join(" ");
}

export async function said(call: Promise<Answer>): Promise<Reply> {
  try {
    const { ok, state, invoke_model: invoke, replay = false } = await call;
    return { ok, state, invoke, replay };
  } catch (error) {
    if (error instanceof JobError) return { threw: error.code };
    throw error;
  }
}

/** The item that is so many before the last one. */
export function back<Item>(items: readonly Item[], places: number): Item {
  const item = items.at(-1 - (places % items.length));
  if (item === undefined) throw new Error("nothing to choose from: the command's check should have seen it");
  return item;
}

export const ADDRESSES = [TRAIN, "another-page-01"] as const;
export const trees = fc.constantFrom(
  { step: 0 },
  { step: 1 },
  { step: 2 },
  { step: 3 },
  {},
  { step: "two" },
  { step: 2, note: "é" },
);
export const results = fc.constantFrom({ kind: "page" }, "done", { kind: "sent" }, { status: "pr_open" }, null);
export const details = fc.constantFrom("key", "server");
