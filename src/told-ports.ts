import type { MailOutcome } from "./job/moves/delivery.ts";
import type { Letter, Mailer } from "./mail/mailer.ts";
import type { PageOracle, PagesAtHead } from "./pages/page-oracle.ts";
import type { JobEntry, JobStore, Outcome, ReadJob, StepFunction } from "./store/job-store.ts";

/** Is told what a port is at, in a few words for people who wait. */
export type Tell = (what: string) => void;

/** How many jobs are read between two words of it. */
const STEP = 256;

/** The same store, which tells what it is at. */
export class ToldJobStore implements JobStore {
  readonly #store: JobStore;
  readonly #tell: Tell;

  constructor(store: JobStore, tell: Tell) {
    this.#store = store;
    this.#tell = tell;
  }

  get kind(): JobStore["kind"] {
    return this.#store.kind;
  }

  async scan(): Promise<Iterable<JobEntry>> {
    this.#tell(this.kind === "git" ? "asking the git remote for the jobs" : "reading the jobs");
    return counted(await this.#store.scan(), (count) => this.#tell(`reading the jobs: ${count}`));
  }

  read(jobId: string): Promise<JobEntry | undefined> {
    this.#tell(this.kind === "git" ? `asking the git remote for ${jobId}` : `reading ${jobId}`);
    return this.#store.read(jobId);
  }

  transact<Answer>(
    jobIds: readonly string[],
    step: StepFunction<Answer>,
    seen?: ReadonlyMap<string, ReadJob>,
  ): Promise<ReadonlyMap<string, Outcome<Answer>>> {
    const jobs = jobIds.length === 1 ? "1 job" : `${jobIds.length} jobs`;
    this.#tell(this.kind === "git" ? `pushing to the git remote: ${jobs}` : `writing ${jobs}`);
    return this.#store.transact(jobIds, step, seen);
  }
}

function* counted<T>(entries: Iterable<T>, tell: (count: number) => void): Iterable<T> {
  let count = 0;
  for (const entry of entries) {
    if (++count % STEP === 0) tell(count);
    yield entry;
  }
}

/** The same pages; whoever waits for git is told so. */
export class ToldPages implements PageOracle {
  readonly #pages: PageOracle;
  readonly #tell: Tell;

  constructor(pages: PageOracle, tell: Tell) {
    this.#pages = pages;
    this.#tell = tell;
  }

  atHead(): Promise<PagesAtHead> {
    this.#tell("asking git for the pages");
    return this.#pages.atHead();
  }
}

/** The same mailer, which tells how many letters it is at. */
export class ToldMailer implements Mailer {
  readonly #mailer: Mailer;
  readonly #tell: Tell;

  constructor(mailer: Mailer, tell: Tell) {
    this.#mailer = mailer;
    this.#tell = tell;
  }

  send(letters: readonly Letter[]): Promise<ReadonlyMap<string, MailOutcome>> {
    this.#tell(letters.length === 1 ? "sending 1 mail" : `sending ${letters.length} mails`);
    return this.#mailer.send(letters);
  }
}
