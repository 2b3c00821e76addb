import { JobError } from "../errors/job-error.ts";
import type { Clock } from "../facts/clock.ts";
import { randomToken } from "../facts/ids.ts";
import { pauseBetween } from "../facts/pause.ts";
import { commitFiles, type NewFile } from "../git/commit-files.ts";
import type { Git } from "../git/git.ts";
import { parseTree, readObjects, type TreeEntry } from "../git/read-objects.ts";
import { type PushOutcome, RemoteBranch } from "../git/remote-branch.ts";
import { formatJob } from "../job/file/format-job.ts";
import { requireJobId } from "../job/job-id.ts";
import { commitMessage } from "./commit-message.ts";
import { CommittedDirectory, isRegular } from "./committed-directory.ts";
import { isJobFileName, jobFileName } from "./job-file.ts";
import type { Found, JobEntry, JobStore, Outcome, StepFunction } from "./job-store.ts";

export interface GitJobStoreOptions {
  /** Runs git in the user's checkout: credentials may be bound to it. */
  readonly git: Git;
  readonly remote: string;
  /** Where job files live; undefined for the remote's default branch. */
  readonly branch: string | undefined;
  /** The jobs directory from the top of the repository: `wake_jobs`. */
  readonly directory: string;
  readonly clock: Clock;
  /** Who the commits are from. */
  readonly author: { readonly name: string; readonly email: string };
}

/**
 * How often a race for the branch may be lost. With the pauses below, far past what forty machines at once would need, and
 * enough to get between others who push unrelated files several times a second.
 */
const PUSH_TRIES = 60;
const PAUSE_MS_LEAST = 20;
/** Long enough to scatter rivals; those who push something else are not put off by our waiting longer. */
const PAUSE_MS_MOST = 250;

/** A road on which pushes keep breaking while fetches do not is no race; trying on would only hide it. */
const UNANSWERED_MAX = 4;

/** How often in a row a push may fail although nobody else pushed: rivals that are in each other's way need a moment. */
const STALLS_MAX = 8;

/** Past this many jobs, looking up each path in a large tree costs more than listing the tree. */
const READ_BY_PATH_MAX = 32;

/**
 * Job files on a branch of a git remote (contract §7). A transaction is decided on the branch's head and counts only when
 * its push moved the branch, so rivals on any number of machines see each other. It needs no work tree: files are read
 * from objects, a commit is made by fast-import, and the user's index, work tree, branch and config stay as they are.
 */
export class GitJobStore implements JobStore {
  readonly kind = "git";
  readonly #options: GitJobStoreOptions;
  #branch: Promise<RemoteBranch> | undefined;
  /** The newest head that this process has seen; undefined before it has asked. */
  #head: Head | undefined;
  /** Transactions of one process queue here: racing each other would only cost pushes. */
  #queue: Promise<unknown> = Promise.resolve();

  constructor(options: GitJobStoreOptions) {
    this.#options = options;
  }

  async scan(): Promise<Iterable<JobEntry>> {
    const files = await this.#readDirectory(await this.#fetchHead(), "all");
    return [...files.keys()].sort().flatMap((name) => files.get(name)?.entry ?? []);
  }

  async read(jobId: string): Promise<JobEntry | undefined> {
    requireJobId(jobId);
    const files = await this.#readDirectory(await this.#fetchHead(), [jobId]);
    return files.get(jobFileName(jobId))?.entry;
  }

  transact<Answer>(jobIds: readonly string[], step: StepFunction<Answer>): Promise<ReadonlyMap<string, Outcome<Answer>>> {
    jobIds.forEach(requireJobId);
    const decide = (): Promise<ReadonlyMap<string, Outcome<Answer>>> => this.#transact(jobIds, step);
    const turn = this.#queue.then(decide, decide);
    this.#queue = turn;
    return turn;
  }

  async #transact<Answer>(jobIds: readonly string[], step: StepFunction<Answer>): Promise<ReadonlyMap<string, Outcome<Answer>>> {
    // What is known may be old. A push onto it finds that out; an answer that moves nothing must ask first.
    let isFresh = this.#head === undefined;
    let head = this.#head ?? (await this.#fetchHead());
    let unanswered = 0;
    let stalls = 0;
    for (let lost = 0; lost < PUSH_TRIES; ) {
      const { outcomes, files, notes } = await this.#decideAt(head, jobIds, step);
      if (files.length === 0) {
        if (isFresh) return outcomes;
        head = await this.#fetchHead();
      } else {
        const { commit, pushed } = await this.#push(head, files, notes);
        if (pushed.state === "moved") return outcomes;
        if (pushed.state !== "forbidden") {
          lost++;
          await pauseBetween(PAUSE_MS_LEAST, Math.min(PAUSE_MS_MOST, PAUSE_MS_LEAST * 2 ** lost));
        }
        const before = head.commit;
        head = await this.#settle(pushed);
        stalls = head.commit === before ? stalls + 1 : 0;
        if (pushed.state !== "behind" && (await (await this.#openBranch()).holds(commit, head.commit))) return outcomes;
        if (pushed.state === "forbidden") throw (await this.#openBranch()).forbidden(pushed.why);
        if (pushed.state === "unknown" && ++unanswered === UNANSWERED_MAX) throw unanswerable(pushed.why);
        if (stalls === STALLS_MAX) throw this.#takesNoPush(pushed);
      }
      isFresh = true;
    }
    return new Map(jobIds.map((jobId) => [jobId, { error: this.#conflict(jobId) }]));
  }

  async #decideAt<Answer>(head: Head, jobIds: readonly string[], step: StepFunction<Answer>): Promise<Decided<Answer>> {
    const outcomes = new Map<string, Outcome<Answer>>();
    const files: NewFile[] = [];
    const notes: string[] = [];
    const putOff = new Set<string>();
    const directory = await this.#readDirectory(head, jobIds);
    for (const jobId of jobIds) {
      try {
        const name = jobFileName(jobId);
        const opened = directory.get(name);
        if (opened?.entry.error !== undefined) throw opened.entry.error;
        const found: Found = {
          job_id: jobId,
          job: opened?.entry.job,
          namesake: opened ? undefined : directory.namesakeOf(jobId),
        };
        const { answer, write, isDeferred = false } = step(found);
        outcomes.set(jobId, { answer });
        if (isDeferred) putOff.add(jobId);
        if (write === undefined) continue;
        const path = `${this.#options.directory}/${name}`;
        const text = formatJob(write.job, path);
        if (text === opened?.text) continue;
        files.push({ path, text, isExecutable: opened?.isExecutable ?? false });
        notes.push(write.note);
      } catch (error) {
        if (!(error instanceof JobError)) throw error;
        outcomes.set(jobId, { error });
      }
    }
    if (putOff.size === 0) return { outcomes, files, notes };
    return { outcomes: new Map([...outcomes].filter(([jobId]) => putOff.has(jobId))), files: [], notes: [] };
  }

  /** Commits the files onto the head and offers that to the remote. */
  async #push(
    head: Head,
    files: readonly NewFile[],
    notes: readonly string[],
  ): Promise<{ readonly commit: string; readonly pushed: PushOutcome }> {
    const { git, clock, author } = this.#options;
    const message = commitMessage(notes, randomToken());
    const commit = await commitFiles(git, { parent: head.commit, message, author, at: clock.now(), files });
    if (commit === undefined)
      throw new JobError("IO", `git could not make a commit on ${head.commit ?? "a new branch"}. Nothing was changed`);
    const pushed = await (await this.#openBranch()).push(commit);
    if (pushed.state === "moved") this.#head = { commit };
    return { commit, pushed };
  }

  /** The branch's head after a push that is not known to be a win: it may have been taken although its answer was lost. */
  async #settle(pushed: PushOutcome): Promise<Head> {
    try {
      return await this.#fetchHead();
    } catch (error) {
      throw error instanceof JobError && pushed.state !== "behind" ? unsettled(pushed, error) : error;
    }
  }

  async #fetchHead(): Promise<Head> {
    this.#head = { commit: await (await this.#openBranch()).fetchHead() };
    return this.#head;
  }

  #openBranch(): Promise<RemoteBranch> {
    const { git, remote, branch } = this.#options;
    const opening = this.#branch ?? RemoteBranch.open(git, remote, branch);
    this.#branch = opening;
    // A remote that was away is asked again next time.
    opening.catch(() => {
      this.#branch = undefined;
    });
    return opening;
  }

  /** The job files of a commit: all of them, or those of some jobs. */
  async #readDirectory(head: Head, wanted: readonly string[] | "all"): Promise<CommittedDirectory> {
    const { git, directory } = this.#options;
    if (head.commit === undefined) return new CommittedDirectory(directory, new Map(), new Map());
    const root = `${head.commit}:${directory}`;
    const byPath = wanted !== "all" && wanted.length <= READ_BY_PATH_MAX ? wanted.map(jobFileName) : [];
    const above = directory.split("/").slice(0, -1);
    const [commit, ...found] = await readObjects(git, [
      `${head.commit}^{commit}`,
      ...above.map((_, i) => `${head.commit}:${above.slice(0, i + 1).join("/")}`),
      root,
      ...byPath.map((name) => `${root}/${name}`),
    ]);
    const trees = found.slice(0, above.length + 1);
    const tree = trees.at(-1);
    const blobs = found.slice(trees.length);
    if (commit === undefined)
      throw new JobError("IO", `git cannot read the commit ${head.commit}; run git fsck. Nothing was changed`);
    if (trees.some((object) => object !== undefined && object.type !== "tree")) throw this.#noDirectory();
    const entries = tree === undefined ? new Map<string, TreeEntry>() : parseTree(tree.bytes, head.commit.length);
    const contents = new Map(byPath.map((name, i) => [name, blobs[i]?.bytes]));
    if (byPath.length === 0) {
      const names = wanted === "all" ? [...entries.keys()].filter(isJobFileName) : wanted.map(jobFileName);
      const known = names.filter((name) => isRegular(entries.get(name)));
      const read = await readObjects(
        git,
        known.map((name) => entries.get(name)?.id ?? ""),
      );
      for (const [i, name] of known.entries()) contents.set(name, read[i]?.bytes);
    }
    return new CommittedDirectory(directory, entries, contents);
  }

  /** Where a file or link stands in its place, a fleet would look empty, and its first job would remove what stands there. */
  #noDirectory(): JobError {
    const { directory } = this.#options;
    const message = `${directory}: is a file or a link in the commit, or stands below one; make it a directory there, or name another as jobs_dir`;
    return new JobError("CONFIG", message, { file: directory });
  }

  #takesNoPush(pushed: PushOutcome): JobError {
    const { remote } = this.#options;
    const why = "why" in pushed ? pushed.why : pushed.state;
    const message = `the git remote "${remote}" takes no push, though nobody else pushed: ${why}. Nothing was changed; see whether git push to "${remote}" works here`;
    return new JobError("REMOTE_UNAVAILABLE", message);
  }

  #conflict(jobId: string): JobError {
    const file = `${this.#options.directory}/${jobFileName(jobId)}`;
    return new JobError("CONFLICT", `${file}: others pushed first, ${PUSH_TRIES} times. Nothing was changed; try again`, {
      file,
    });
  }
}

interface Decided<Answer> {
  readonly outcomes: ReadonlyMap<string, Outcome<Answer>>;
  readonly files: readonly NewFile[];
  readonly notes: readonly string[];
}

/** A branch's head; `commit` is undefined where the branch does not exist yet. */
interface Head {
  readonly commit: string | undefined;
}

function unanswerable(why: string): JobError {
  const message = `the git remote breaks off our pushes (${why}) and holds none of them. Nothing was changed; try again`;
  return new JobError("REMOTE_UNAVAILABLE", message);
}

function unsettled(pushed: PushOutcome, error: JobError): JobError {
  const why = "why" in pushed ? pushed.why : pushed.state;
  const message = `the answer to our push was lost (${why}) and the remote cannot be asked whether it was taken: ${error.message}. Run no model; the next call settles it`;
  return new JobError("REMOTE_UNAVAILABLE", message, { cause: error });
}
