import type { OpenedFleet } from "../compose.ts";
import { rulesInForce } from "../holds/holds.ts";
import { decide, type TickFacts } from "../job/decide.ts";
import { KnownPages } from "../pages/known-pages.ts";
import type { JobEntry } from "../store/job-store.ts";
import type { Environment } from "./environment.ts";
import { tell } from "./report.ts";

/** What is known of some jobs' files, and what the next tick would know beside them. */
export interface FleetLook {
  readonly entries: readonly JobEntry[];
  /** Of a tick that mails, where this fleet's ticks do. */
  readonly facts: TickFacts;
  /** Whether every page that was needed could be asked for. Where not, people were told why. */
  readonly knowsPages: boolean;
}

/** Finds out what views of these jobs take. Asks git for pages only where a tick would. */
export async function lookAt(fleet: OpenedFleet, entries: readonly JobEntry[], environment: Environment): Promise<FleetLook> {
  const pages = new KnownPages(fleet.pages);
  const facts: TickFacts = {
    now: fleet.clock.now(),
    deliver: fleet.promisesMail,
    holds: await rulesInForce(fleet),
    pages: pages.states,
  };
  const addresses = entries.flatMap(({ job }) => {
    const decision = job === undefined ? undefined : decide(job, facts);
    return decision?.action === "ASK_PAGE" ? [decision.address] : [];
  });
  await pages.ask(addresses);
  if (pages.failure !== undefined) tell(pages.failure.message, environment);
  return { entries, facts, knowsPages: pages.failure === undefined };
}
