import { JobError } from "../errors/job-error.ts";
import { complaintOf, FETCH, type Git, type GitResult } from "./git.ts";

/** What became of a push, by what git says. Only `moved` is a win; what is not sure is looked up on the remote. */
export type PushOutcome =
  | { readonly state: "moved" }
  /** Somebody else was faster, and our own git saw it before it sent anything: decide again. */
  | { readonly state: "behind" }
  /** The remote did not take it; often somebody else was faster, but git may also have sent it twice. */
  | { readonly state: "refused"; readonly why: string }
  /** The remote will never take it, whoever tries again. */
  | { readonly state: "forbidden"; readonly why: string }
  /** No answer came: it may have been taken or not. */
  | { readonly state: "unknown"; readonly why: string };

const PUSH = ["push", "--porcelain", "--no-verify", "--no-follow-tags", "--no-recurse-submodules", "--no-signed"];

/** Processes that share a clone can meet at its refs; they get out of each other's way in a moment. */
const FETCH_TRIES = 5;

/** One branch of a remote: the compare-and-swap that all machines of a fleet trust (contract §7). */
export class RemoteBranch {
  readonly #git: Git;
  readonly remote: string;
  readonly branch: string;

  constructor(git: Git, remote: string, branch: string) {
    this.#git = git;
    this.remote = remote;
    this.branch = branch;
  }

  /**
   * The branch that is named, or the remote's default one; for an empty remote the one that is checked out here. Throws
   * JobError CONFIG without such a remote, REMOTE_UNAVAILABLE when it does not answer.
   */
  static async open(git: Git, remote: string, branch: string | undefined): Promise<RemoteBranch> {
    if (branch !== undefined) return new RemoteBranch(git, remote, branch);
    const asked = await git.run(["ls-remote", "--symref", remote, "HEAD"]);
    if (asked.exit_code !== 0) throw await unreachable(git, remote, asked);
    const found = /^ref: refs\/heads\/(\S+)\tHEAD$/m.exec(asked.stdout)?.[1];
    return new RemoteBranch(git, remote, found ?? (await checkedOut(git)));
  }

  /** The ref in which this clone keeps what it knows of the branch; git itself moves it with every fetch and push. */
  get #trackingRef(): string {
    return `refs/remotes/${this.remote}/${this.branch}`;
  }

  /**
   * Asks the remote for the branch's head and brings its objects here. Undefined where the branch does not exist yet.
   * Throws JobError REMOTE_UNAVAILABLE.
   */
  async fetchHead(): Promise<string | undefined> {
    let fetched: GitResult | undefined;
    for (let tries = 0; tries < FETCH_TRIES; tries++) {
      fetched = await this.#git.run([...FETCH, this.remote, `+refs/heads/${this.branch}:${this.#trackingRef}`]);
      if (fetched.exit_code === 0) return this.#knownHead();
      if (fetched.stderr.includes("couldn't find remote ref")) return undefined;
      if (!isLockedHere(fetched)) throw await unreachable(this.#git, this.remote, fetched);
    }
    return this.#headPastLock();
  }

  /**
   * A lock that stays was left behind by a git that was killed. It keeps this clone from noting what the remote holds, and
   * must not keep it from asking: the lock is somebody's to remove, not ours.
   */
  async #headPastLock(): Promise<string | undefined> {
    const listed = await this.#git.run(["ls-remote", this.remote, `refs/heads/${this.branch}`]);
    if (listed.exit_code !== 0) throw await unreachable(this.#git, this.remote, listed);
    const commit = /^([0-9a-f]{40,64})\t/.exec(listed.stdout)?.[1];
    if (commit === undefined) return undefined;
    const fetched = await this.#git.run([...FETCH, this.remote, commit]);
    if (fetched.exit_code !== 0) throw await unreachable(this.#git, this.remote, fetched);
    return commit;
  }

  async #knownHead(): Promise<string | undefined> {
    const known = await this.#git.run(["rev-parse", "--verify", `${this.#trackingRef}^{commit}`]);
    return known.exit_code === 0 ? known.stdout.trim() : undefined;
  }

  /** Whether the commit is part of the branch's history up to `head`. */
  async holds(commit: string, head: string | undefined): Promise<boolean> {
    if (head === undefined) return false;
    // Not --is-ancestor: a command that prints nothing takes 50 ms longer through simple-git.
    return (await this.#git.run(["merge-base", commit, head])).stdout.trim() === commit;
  }

  /** Offers the commit as the branch's new head: a fast-forward, or nothing. Never forces. */
  async push(commit: string): Promise<PushOutcome> {
    const pushed = await this.#git.run([...PUSH, this.remote, `${commit}:refs/heads/${this.branch}`]);
    const line = pushed.stdout.split("\n").find((candidate) => /^[ *+=!-]\t/.test(candidate));
    const flag = line?.[0];
    if (pushed.exit_code === 0 && (flag === " " || flag === "*")) return { state: "moved" };
    const why = reasonOf(line) ?? complaintOf(pushed);
    if (isForbidden(`${line ?? ""}\n${pushed.stderr}`)) return { state: "forbidden", why };
    if (flag === undefined) return { state: "unknown", why };
    return /\t\[rejected\] \((?:fetch first|non-fast-forward)\)$/.test(line ?? "")
      ? { state: "behind" }
      : { state: "refused", why };
  }

  /** What a remote that refuses for good leaves to do. */
  forbidden(why: string): JobError {
    const remedy = `let this account push to ${this.branch} (branch protection, rules, hooks), or name another branch as git.branch in harness-wake.json`;
    return new JobError(
      "PUSH_REFUSED",
      `the remote "${this.remote}" will not take a push to ${this.branch}: ${why}. Nothing was changed; ${remedy}`,
    );
  }
}

function isLockedHere({ stderr }: GitResult): boolean {
  return /cannot lock ref|unable to update local ref/.test(stderr);
}

async function unreachable(git: Git, remote: string, asked: GitResult | undefined): Promise<JobError> {
  const known = await git.run(["remote", "get-url", remote]);
  if (known.exit_code !== 0) {
    return new JobError(
      "CONFIG",
      `there is no git remote "${remote}" here (${complaintOf(known)}); add it, or name another as git.remote in harness-wake.json`,
    );
  }
  const why = asked === undefined ? "it did not answer" : complaintOf(asked);
  return new JobError(
    "REMOTE_UNAVAILABLE",
    `the git remote "${remote}" cannot be reached: ${why}. Nothing was decided; try again`,
  );
}

async function checkedOut(git: Git): Promise<string> {
  const head = await git.run(["symbolic-ref", "--short", "HEAD"]);
  return head.exit_code === 0 ? head.stdout.trim() : "main";
}

/** `! <from>:<to> [remote rejected] (protected branch hook declined)`: what stands in the brackets. */
function reasonOf(line: string | undefined): string | undefined {
  return line === undefined ? undefined : /\(([^()]+)\)$/.exec(line)?.[1];
}

/** What the forges and hooks say when trying again is no use. A lost race never looks like this. */
function isForbidden(said: string): boolean {
  return /hook declined|GH006|GH013|rule violations|protected branch|permission denied|Permission to .* denied|error: 403|Authentication failed|could not read Username|deny updating|denyCurrentBranch|refusing to update checked out branch/i.test(
    said,
  );
}
