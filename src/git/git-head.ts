import { JobError } from "../errors/job-error.ts";
import { fetchCommit } from "./fetch.ts";
import type { Git } from "./git.ts";
import { complaintOf } from "./git-words.ts";
import { failed, type Looked } from "./looked.ts";
import { askBranch, askDefaultBranch, listRemotes, NO_DEFAULT } from "./remote.ts";

export interface GitHeadOptions {
  readonly git: Git;
  /** The remote that config names; undefined for `origin`, if it is there. */
  readonly remote?: string | undefined;
  /** The branch that holds pages; undefined for the remote's default branch. */
  readonly branch?: string | undefined;
}

const DEFAULT_REMOTE = "origin";

/**
 * The commit at git HEAD (contract §1): the head of the remote's pages branch, or with no remote the local HEAD; its
 * objects are here when the answer is. Undefined where a repository was seen to have no commit yet. Throws JobError
 * TRUTH_UNAVAILABLE when git cannot say.
 */
export async function resolveGitHead(options: GitHeadOptions): Promise<string | undefined> {
  const remote = await findRemote(options);
  return remote === undefined ? localHead(options.git) : remoteHead(options, remote);
}

async function findRemote({ git, remote }: GitHeadOptions): Promise<string | undefined> {
  const remotes = await listRemotes(git);
  if (remotes.state === "failed") throw unavailable(remotes.why, "see whether git works here, in a git repository");
  const names = remotes.state === "found" ? remotes.value.map(({ name }) => name) : [];
  const name = remote ?? DEFAULT_REMOTE;
  if (names.includes(name)) return name;
  if (remote !== undefined)
    throw unavailable(`there is no remote "${remote}"`, "mend git.remote in harness-wake.json, or add the remote");
  if (names.length === 0) return undefined;
  throw unavailable(
    `there is no remote "${DEFAULT_REMOTE}", but others are`,
    "name the one that holds the pages as git.remote in harness-wake.json",
  );
}

async function localHead(git: Git): Promise<string | undefined> {
  const head = await git.run(["rev-parse", "--verify", "HEAD^{commit}"]);
  const commit = /^[0-9a-f]{40,64}$/.exec(head.stdout.trim())?.[0];
  if (head.exit_code === 0 && commit !== undefined) return commit;
  // A repository without a commit: HEAD names a branch, and that branch is seen not to be there.
  const branch = await git.run(["symbolic-ref", "HEAD"]);
  const listed = branch.exit_code === 0 ? await git.run(["for-each-ref", branch.stdout.trim()]) : branch;
  if (listed.exit_code === 0 && listed.stdout === "") return undefined;
  throw unavailable(complaintOf(listed.exit_code === 0 ? head : listed), "see whether git log works here");
}

async function remoteHead({ git, branch }: GitHeadOptions, remote: string): Promise<string | undefined> {
  const head = branch === undefined ? await headOfDefault(git, remote) : await askBranch(git, remote, branch);
  switch (head.state) {
    case "absent":
      if (branch === undefined) return undefined;
      throw unavailable(
        `the remote "${remote}" has no branch "${branch}"`,
        "mend git.pages_branch in harness-wake.json, or push that branch",
      );
    case "failed":
      throw head.why === NO_DEFAULT
        ? unavailable(`of the remote "${remote}": ${head.why}`, "name it as git.pages_branch in harness-wake.json")
        : unavailable(head.why, `see whether git ls-remote ${remote} works here`);
    case "found": {
      const here = await fetchCommit(git, remote, head.value);
      if (here.state === "found") return head.value;
      const why = here.state === "failed" ? here.why : "it is not in what was fetched";
      throw unavailable(why, `see whether ${head.value.slice(0, 12)} can be fetched from "${remote}"`);
    }
  }
}

async function headOfDefault(git: Git, remote: string): Promise<Looked<string>> {
  const found = await askDefaultBranch(git, remote);
  return found.state === "found" ? { state: "found", value: found.value.head } : found;
}

function unavailable(what: string, remedy: string): JobError {
  return new JobError("TRUTH_UNAVAILABLE", `git cannot say what stands at its head: ${what}. Nothing was changed; ${remedy}`);
}

/** Where git runs, from the top of the repository: `` at the top, `fleet/` in a subdirectory. */
export async function prefixOf(git: Git): Promise<Looked<string>> {
  const asked = await git.run(["rev-parse", "--show-prefix"]);
  const line = /^(?:|.*\/)\n$/.exec(asked.stdout);
  if (asked.exit_code !== 0 || line === null) return failed(complaintOf(asked));
  return { state: "found", value: line[0].slice(0, -1) };
}
