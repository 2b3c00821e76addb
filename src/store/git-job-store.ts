import type { Clock } from "../facts/clock.ts";
import type { Person } from "../git/commit-files.ts";
import type { Git } from "../git/git.ts";
import { requireJobId } from "../job/job-id.ts";
import { BranchHead } from "./branch-head.ts";
import { CommittedJobs } from "./committed-jobs.ts";
import type { JobEntry, JobStore, Outcome, StepFunction } from "./job-store.ts";
import { landAll } from "./land-all.ts";

export interface GitJobStoreOptions {
  /** Runs git in the user's checkout: credentials may be bound to it. */
  readonly git: Git;
  readonly remote: string;
  /** Where job files live; undefined for the remote's default branch. */
  readonly branch: string | undefined;
  /** Makes the branch that is named where the remote does not have it; without this that is an error. */
  readonly newBranch?: boolean;
  /** For a caller that only looks: the clone's refs stay as they are. */
  readonly leavesRefs?: boolean;
  /** The jobs directory from the top of the repository: `wake_jobs`. */
  readonly directory: string;
  readonly clock: Clock;
  /** Who the commits are from. */
  readonly author: Person;
  /** Signs commits with the user's key. */
  readonly sign?: boolean;
}

/**
 * Job files on a branch of a git remote (contract §7). A transaction is decided on the branch's head and counts only when
 * its push moved the branch, so rivals on any number of machines see each other. It needs no work tree: files are read
 * from objects, a commit is made by fast-import, and the user's index, work tree, branch and config stay as they are.
 */
export class GitJobStore implements JobStore {
  readonly kind = "git";
  readonly #options: GitJobStoreOptions;
  readonly #head: BranchHead;
  readonly #jobs: CommittedJobs;
  /** Transactions of one process queue here: racing each other would only cost pushes. */
  #queue: Promise<unknown> = Promise.resolve();

  constructor(options: GitJobStoreOptions) {
    const { git, remote, branch, newBranch = false, leavesRefs = false, directory } = options;
    this.#options = options;
    this.#head = new BranchHead({ git, remote, branch, mayMake: newBranch, leavesRefs });
    this.#jobs = new CommittedJobs(git, directory);
  }

  async scan(): Promise<Iterable<JobEntry>> {
    return (await this.#jobs.all(await this.#head.fetch())).entries();
  }

  async read(jobId: string): Promise<JobEntry | undefined> {
    requireJobId(jobId);
    return (await this.#jobs.batch(await this.#head.fetch(), [jobId])).directory.entry(jobId);
  }

  transact<Answer>(jobIds: readonly string[], step: StepFunction<Answer>): Promise<ReadonlyMap<string, Outcome<Answer>>> {
    jobIds.forEach(requireJobId);
    const { git, remote, directory, clock, author, sign = false } = this.#options;
    const options = { git, remote, directory, clock, author, sign, head: this.#head, jobs: this.#jobs };
    const land = (): Promise<ReadonlyMap<string, Outcome<Answer>>> => landAll(options, jobIds, step);
    const turn = this.#queue.then(land, land);
    this.#queue = turn;
    return turn;
  }
}
