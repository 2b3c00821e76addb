import { JobError } from "./errors/job-error.ts";
import type { Clock } from "./facts/clock.ts";
import type { Ids } from "./facts/ids.ts";
import type { Holds } from "./holds/holds.ts";
import type { PageState } from "./job/decide.ts";
import { KnownPages } from "./pages/known-pages.ts";
import type { PageOracle } from "./pages/page-oracle.ts";
import type { Found, JobStore, Outcome, ReadJob, Step, StepFunction } from "./store/job-store.ts";

/** Everything that a call on a fleet of jobs needs. `openFleet` builds one from config; tests put one together from fakes. */
export interface Fleet {
  readonly store: JobStore;
  readonly pages: PageOracle;
  readonly holds: Holds;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** What a decision on one job comes to: an answer, perhaps with a write; or a page that has to be known first. */
export type Decided<Answer> = Omit<Step<Answer>, "isDeferred"> | { readonly askPage: string };

export type DecideFunction<Answer> = (found: Found, pages: ReadonlyMap<string, PageState>) => Decided<Answer>;

/** How often a job is decided again when each look at a page finds it in need of another. */
const PAGE_TRIES = 4;

/**
 * Decides jobs and writes those that move; pages are asked about outside the transaction, and what asked is decided again on
 * what it is by then. What can happen to a job in one round:
 *
 * 1. It is decided: its outcome stands.
 * 2. It needs a page: nothing of it is written, and it comes back in the next round.
 * 3. The store wrote nothing because of 2, since it writes all jobs in one go: it comes back too.
 * 4. It still needs a page in the last round: CONFLICT, and the others are written.
 */
export async function decideEach<Answer>(
  store: JobStore,
  pages: KnownPages,
  jobIds: readonly string[],
  decide: DecideFunction<Answer>,
  seen?: ReadonlyMap<string, ReadJob>,
): Promise<ReadonlyMap<string, Outcome<Answer>>> {
  const outcomes = new Map<string, Outcome<Answer>>();
  let pending = jobIds;
  for (let tries = 1; tries <= PAGE_TRIES && pending.length > 0; tries++) {
    const isLast = tries === PAGE_TRIES;
    const step: StepFunction<Answer | AskPage> = (found) => {
      const decided = decide(found, pages.states);
      if (!("askPage" in decided)) return decided;
      const answer = new AskPage(decided.askPage);
      return isLast ? { answer } : { answer, isDeferred: true };
    };
    const round = await store.transact(pending, step, seen);
    const asking = new Map<string, string>();
    for (const [jobId, outcome] of round) {
      const { answer, error } = outcome;
      if (error !== undefined) outcomes.set(jobId, { error: explained(error, pages.failure) });
      else if (!(answer instanceof AskPage))
        outcomes.set(jobId, { answer }); // 1
      else if (isLast)
        outcomes.set(jobId, { error: keptChanging(jobId) }); // 4
      else asking.set(jobId, answer.address); // 2
    }
    await pages.ask(asking.values());
    pending = pending.filter((jobId) => asking.has(jobId) || !round.has(jobId)); // 2, 3
  }
  return outcomes;
}

/** {@link decideEach} for one job: its answer, or its JobError thrown. */
export async function decideOne<Answer>(
  { store, pages }: Pick<Fleet, "store" | "pages">,
  jobId: string,
  decide: DecideFunction<Answer>,
): Promise<Answer> {
  const known = new KnownPages(pages);
  const outcome = (await decideEach(store, known, [jobId], decide)).get(jobId);
  if (outcome === undefined) throw new TypeError(`the store answered nothing for ${jobId}`);
  if (outcome.error !== undefined) throw outcome.error;
  return outcome.answer;
}

/** Stands for a page that a decision needs, among answers. */
class AskPage {
  readonly address: string;
  constructor(address: string) {
    this.address = address;
  }
}

/** A decision knows that a page is unknown; why, which branch or remote could not be asked, only the pages know. */
function explained(error: JobError, failure: JobError | undefined): JobError {
  if (error.code !== "TRUTH_UNAVAILABLE" || failure === undefined) return error;
  return new JobError(error.code, `${error.message}. Why: ${failure.message}`, { cause: failure });
}

function keptChanging(jobId: string): JobError {
  const message = `${jobId}: kept changing under its page check, ${PAGE_TRIES} times. Nothing was changed; try again`;
  return new JobError("CONFLICT", message);
}
