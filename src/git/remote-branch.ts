import { JobError } from "../errors/job-error.ts";
import type { Commit } from "./commit-files.ts";
import { FETCH, fetchCommit } from "./fetch.ts";
import type { Git, GitResult } from "./git.ts";
import { complaintOf } from "./git-words.ts";
import { ABSENT, failed, found, type Looked } from "./looked.ts";
import { type PushOutcome, pushCommit } from "./push.ts";
import { askBranch, askDefaultBranch, listRemotes, NO_DEFAULT, type Remote, whyNotOne } from "./remote.ts";

export interface RemoteBranchOptions {
  readonly git: Git;
  readonly remote: string;
  /** The branch that config names; undefined for the remote's default one. */
  readonly branch: string | undefined;
  /** Whether a branch that config names may be made where it is not there. */
  readonly mayMake: boolean;
  /** Brings objects alone into the clone, and leaves its refs as they are: for a caller that only looks. */
  readonly leavesRefs: boolean;
}

/** Processes that share a clone can meet at its refs; they get out of each other's way in a moment. */
const FETCH_TRIES = 5;

/** One branch of a remote: the compare-and-swap that all machines of a fleet trust (contract §7). */
export class RemoteBranch {
  readonly #options: RemoteBranchOptions;
  readonly name: string;
  /** Whether the clone holds only part of the remote's objects and fetches the others when they are read. */
  readonly isPartial: boolean;
  /** What the remote said of the branch when its name was asked for; good for one look. */
  #told: Looked<string> | undefined;
  /** Whether this process has seen the branch. */
  #wasSeen = false;

  private constructor(options: RemoteBranchOptions, { isPartial }: Remote, name: string, told?: Looked<string>) {
    this.#options = options;
    this.isPartial = isPartial;
    this.name = name;
    this.#told = told;
  }

  /**
   * The branch that is named, or the remote's default one; for an empty remote the one that is checked out here. Throws
   * JobError CONFIG for a remote or branch name that cannot serve, REMOTE_UNAVAILABLE where the remote does not answer, or does not
   * say which branch is its default.
   */
  static async open(options: RemoteBranchOptions): Promise<RemoteBranch> {
    const { git, remote, branch } = options;
    const configured = await requireOnePlace(git, remote);
    if (branch?.startsWith("refs/"))
      throw config(`git.branch is "${branch}", which is the whole name of a ref; give the branch alone, like main`);
    if (branch !== undefined) return new RemoteBranch(options, configured, branch);
    const asked = await askDefaultBranch(git, remote);
    switch (asked.state) {
      case "found":
        return new RemoteBranch(options, configured, asked.value.branch, found(asked.value.head));
      case "absent":
        return new RemoteBranch(options, configured, await checkedOut(git), ABSENT);
      case "failed":
        if (asked.why === NO_DEFAULT)
          throw new JobError(
            "REMOTE_UNAVAILABLE",
            `the remote "${remote}" has branches, but ${NO_DEFAULT}. Nothing was decided; name one as git.branch in harness-wake.json`,
          );
        throw unreachable(remote, asked.why);
    }
  }

  /** Whether the name is the remote's to say: then another may be its default by now. */
  get isDefault(): boolean {
    return this.#options.branch === undefined;
  }

  /** The ref in which this clone keeps what it knows of the branch; git itself moves it with every fetch and push. */
  get #trackingRef(): string {
    return `refs/remotes/${this.#options.remote}/${this.name}`;
  }

  /**
   * Asks the remote for the branch's head and brings its objects here. Undefined where the branch was seen not to be there
   * and may be made. Throws JobError REMOTE_UNAVAILABLE where the remote does not answer or the branch is gone, CONFIG where
   * config names a branch that is not there.
   */
  async fetchHead(): Promise<string | undefined> {
    const told = this.#told;
    this.#told = undefined;
    if (told?.state === "absent") return this.#requireMakeable();
    // A clone that holds what the remote has just said needs no second connection.
    let said = told?.state === "found" ? told.value : undefined;
    if (this.#options.leavesRefs) return this.#headWithoutRef(said);
    const known = said === undefined ? ABSENT : await this.#knownHead();
    if (known.state === "found" && known.value === said) return this.#saw(known.value);
    for (let tries = 0; tries < FETCH_TRIES; tries++) {
      const fetched = await this.#options.git.run([
        ...FETCH,
        this.#options.remote,
        `+refs/heads/${this.name}:${this.#trackingRef}`,
      ]);
      if (fetched.exit_code === 0) {
        const head = await this.#requireKnownHead();
        // What was fetched must be what the remote says, or it moved on in between: then it is asked again.
        if (said === undefined || head === said) return this.#saw(head);
        said = await this.#requireHead();
        if (head === said) return this.#saw(head);
      } else if (!isLockedHere(fetched)) break;
    }
    return this.#headWithoutRef(undefined);
  }

  async #requireHead(): Promise<string> {
    const { git, remote } = this.#options;
    const head = await askBranch(git, remote, this.name);
    if (head.state === "found") return head.value;
    throw unreachable(remote, head.state === "failed" ? head.why : `its branch ${this.name} went away while it was fetched`);
  }

  /**
   * A fetch fails where the branch is gone, or was made a moment later; and where a lock lies in the clone, left behind by a
   * git that was killed. That lock is somebody's to remove, not ours, and must not keep this clone from asking.
   */
  async #headWithoutRef(said: string | undefined): Promise<string | undefined> {
    const { git, remote } = this.#options;
    const head = said === undefined ? await askBranch(git, remote, this.name) : found(said);
    if (head.state === "failed") throw unreachable(remote, head.why);
    if (head.state === "absent") return this.#requireMakeable();
    const here = await fetchCommit(git, remote, head.value);
    if (here.state === "found") return this.#saw(head.value);
    throw unreachable(remote, here.state === "failed" ? here.why : `${head.value} is not in what was fetched`);
  }

  /** A branch that was seen not to be there: made where that was asked for, never where it was there before. */
  async #requireMakeable(): Promise<undefined> {
    const { remote, branch, mayMake } = this.#options;
    const known = await this.#knownHead();
    if (known.state === "failed") throw unreachable(remote, known.why);
    if (this.#wasSeen || known.state === "found") {
      const back = known.state === "found" ? ` (git push ${remote} ${known.value}:refs/heads/${this.name})` : "";
      throw new JobError(
        "REMOTE_UNAVAILABLE",
        `the branch ${this.name} was at the remote "${remote}" and is gone. Nothing was changed; bring it back${back}, or remove ${this.#trackingRef} here if it is meant to be gone`,
      );
    }
    if (branch === undefined || mayMake) return undefined;
    throw config(
      `the remote "${remote}" has no branch "${branch}"; mend git.branch in harness-wake.json, or make it: harness-wake init, or create --new-branch`,
    );
  }

  async #requireKnownHead(): Promise<string> {
    const known = await this.#knownHead();
    if (known.state === "found") return known.value;
    const why = known.state === "failed" ? known.why : `git does not show ${this.#trackingRef}, which it fetched`;
    throw unreachable(this.#options.remote, why);
  }

  #saw(head: string): string {
    this.#wasSeen = true;
    return head;
  }

  async #knownHead(): Promise<Looked<string>> {
    const known = await this.#options.git.run(["rev-parse", "--verify", "--quiet", `${this.#trackingRef}^{commit}`]);
    const head = /^([0-9a-f]{40}|[0-9a-f]{64})\n$/.exec(known.stdout)?.[1];
    if (known.exit_code === 0 && head !== undefined) return found(head);
    return known.exit_code === 1 && known.stdout === "" ? ABSENT : failed(complaintOf(known));
  }

  /** Whether the commit is part of the branch's history up to `head`. */
  async holds(commit: string, head: string): Promise<Looked<true>> {
    const asked = await this.#options.git.run(["merge-base", "--is-ancestor", commit, head]);
    if (asked.exit_code === 0) return found(true);
    return asked.exit_code === 1 ? ABSENT : failed(complaintOf(asked));
  }

  async push(commit: Commit): Promise<PushOutcome> {
    const outcome = await pushCommit(this.#options.git, this.#options.remote, this.name, commit);
    if (outcome.state === "moved") this.#wasSeen = true;
    return outcome;
  }
}

/** Throws JobError CONFIG for a name that is no remote's, and for a remote that pushes elsewhere than it fetches. */
async function requireOnePlace(git: Git, remote: string): Promise<Remote> {
  const remotes = await listRemotes(git);
  if (remotes.state !== "found")
    throw new JobError(
      "IO",
      `git cannot list its remotes: ${remotes.state === "failed" ? remotes.why : "it has none"}. Nothing was changed`,
    );
  const configured = remotes.value.find(({ name }) => name === remote);
  if (configured === undefined)
    throw config(`there is no git remote "${remote}" here; add it, or name another as git.remote in harness-wake.json`);
  const why = whyNotOne(configured);
  if (why !== undefined) throw config(`${why}. Nothing was changed`);
  return configured;
}

function isLockedHere({ stderr }: GitResult): boolean {
  return /cannot lock ref|unable to update local ref/.test(stderr);
}

function config(message: string): JobError {
  return new JobError("CONFIG", message);
}

function unreachable(remote: string, why: string): JobError {
  return new JobError(
    "REMOTE_UNAVAILABLE",
    `the git remote "${remote}" cannot be reached: ${why}. Nothing was decided; see whether git ls-remote ${remote} works here`,
  );
}

async function checkedOut(git: Git): Promise<string> {
  const head = await git.run(["symbolic-ref", "--short", "HEAD"]);
  return (head.exit_code === 0 && /^(\S+)\n$/.exec(head.stdout)?.[1]) || "main";
}
