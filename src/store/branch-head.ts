import type { Commit } from "../git/commit-files.ts";
import type { Looked } from "../git/looked.ts";
import type { PushOutcome } from "../git/push.ts";
import { RemoteBranch, type RemoteBranchOptions } from "../git/remote-branch.ts";
import type { CommitToRead } from "./committed-jobs.ts";

/** The branch of a git store, and the newest head of it that this process has seen. */
export class BranchHead {
  readonly #options: RemoteBranchOptions;
  #branch: Promise<RemoteBranch> | undefined;
  #known: CommitToRead | undefined;

  constructor(options: RemoteBranchOptions) {
    this.#options = options;
  }

  /** Undefined before the remote was asked, and after a call ended without knowing. It may be old. */
  get known(): CommitToRead | undefined {
    return this.#known;
  }

  /** The name of the branch, for messages. */
  async name(): Promise<string> {
    return (await this.#open()).name;
  }

  /** Asks the remote. Throws JobError where it does not answer, or the branch cannot serve. */
  async fetch(): Promise<CommitToRead> {
    this.#known = undefined;
    const isOld = this.#branch !== undefined;
    const branch = await this.#open();
    try {
      const commit = await branch.fetchHead();
      this.#known = { commit, remote: this.#options.remote, isPartial: branch.isPartial };
      return this.#known;
    } catch (error) {
      if (!branch.isDefault) throw error;
      // It may have been renamed since its name was asked for.
      this.#branch = undefined;
      if (isOld) return this.fetch();
      throw error;
    }
  }

  async push(commit: Commit): Promise<PushOutcome> {
    const branch = await this.#open();
    const outcome = await branch.push(commit);
    const { remote } = this.#options;
    this.#known = outcome.state === "moved" ? { commit: commit.id, remote, isPartial: branch.isPartial } : undefined;
    // Another branch may be the remote's default by now, and the one that we knew renamed or dropped.
    if (outcome.state !== "moved" && branch.isDefault) this.#branch = undefined;
    return outcome;
  }

  /** Whether the commit is in the branch's history up to `head`. */
  async holds(commit: Commit, head: string): Promise<Looked<true>> {
    return (await this.#open()).holds(commit.id, head);
  }

  #open(): Promise<RemoteBranch> {
    const opening = this.#branch ?? RemoteBranch.open(this.#options);
    this.#branch = opening;
    // A remote that was away is asked again next time.
    opening.catch(() => {
      this.#branch = undefined;
    });
    return opening;
  }
}
