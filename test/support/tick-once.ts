import { type Decision, decide, type PageState, type TickFacts } from "../../src/job/decide.ts";
import { CURSOR_QUOTA_HOLD } from "../../src/job/hold.ts";
import type { Job } from "../../src/job/job.ts";
import { applyChange, type ChangeFacts } from "../../src/job/moves/tick-changes.ts";
import { NOON } from "./noon.ts";

/** What a tick at noon knows, with these facts over it. */
export function factsAtNoon(facts: Partial<TickFacts> = {}): TickFacts {
  return { now: NOON, deliver: false, holds: [CURSOR_QUOTA_HOLD], pages: new Map(), ...facts };
}

/** Every page that was asked about, answered alike. */
export function pagesAll(state: PageState): ReadonlyMap<string, PageState> {
  return new (class extends Map<string, PageState> {
    override get(): PageState {
      return state;
    }
  })();
}

export interface Ticked {
  readonly decision: Exclude<Decision, { action: "ASK_PAGE" | "CANNOT_TELL" }>;
  readonly job: Job;
}

/** Decides on a job and makes the changes, as a pass does. Its pages must be known. */
export function tickOnce(job: Job, facts: TickFacts, names: Partial<ChangeFacts> = {}): Ticked {
  const decision = decide(job, facts);
  if (decision.action === "ASK_PAGE" || decision.action === "CANNOT_TELL")
    throw new TypeError(`nobody answered for ${decision.address}`);
  const changeFacts = {
    now: facts.now,
    promisesMail: facts.deliver,
    worker_id: "gh-watchdog",
    lease_id: "lease-fresh",
    ...names,
  };
  return { decision, job: decision.changes.reduce((moved: Job, change) => applyChange(moved, change, changeFacts), job) };
}
