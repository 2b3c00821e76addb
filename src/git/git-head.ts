import { JobError } from "../errors/job-error.ts";
import { complaintOf, FETCH, type Git } from "./git.ts";

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
 * objects are here when the answer is. Undefined where there is no commit yet. Throws JobError TRUTH_UNAVAILABLE when git
 * cannot say.
 */
export async function resolveGitHead(options: GitHeadOptions): Promise<string | undefined> {
  const remote = await findRemote(options);
  return remote === undefined ? localHead(options.git) : remoteHead(options, remote);
}

async function findRemote({ git, remote }: GitHeadOptions): Promise<string | undefined> {
  const name = remote ?? DEFAULT_REMOTE;
  const asked = await git.run(["remote", "get-url", name]);
  if (asked.exit_code === 0) return name;
  if (asked.exit_code !== NO_SUCH_REMOTE) throw unavailable(complaintOf(asked), "run inside a git repository");
  if (remote !== undefined)
    throw unavailable(`there is no remote "${remote}"`, "mend git.remote in harness-wake.json, or add the remote");
  const others = await git.run(["remote"]);
  if (others.stdout.trim() !== "") {
    throw unavailable(
      `there is no remote "${DEFAULT_REMOTE}", but others are`,
      "name the one that holds the pages as git.remote in harness-wake.json",
    );
  }
  return undefined;
}

const NO_SUCH_REMOTE = 2;

async function localHead(git: Git): Promise<string | undefined> {
  const head = await git.run(["rev-parse", "--verify", "HEAD^{commit}"]);
  if (head.exit_code === 0) return head.stdout.trim();
  const repository = await git.run(["rev-parse", "--git-dir"]);
  if (repository.exit_code !== 0) throw unavailable(complaintOf(repository), "run inside a git repository");
  return undefined;
}

async function remoteHead({ git, branch }: GitHeadOptions, remote: string): Promise<string | undefined> {
  const ref = branch === undefined ? "HEAD" : `refs/heads/${branch}`;
  const listed = await git.run(["ls-remote", remote, ref]);
  if (listed.exit_code !== 0) throw unavailable(complaintOf(listed), `check that the remote "${remote}" can be reached`);
  const commit = /^([0-9a-f]{40,64})\t/.exec(listed.stdout)?.[1];
  if (commit === undefined) return noSuchRef(git, remote, branch);
  await requireObjects(git, remote, commit);
  return commit;
}

/** An empty remote holds no pages, and that is an answer. A remote with branches but none to call its head is none. */
async function noSuchRef(git: Git, remote: string, branch: string | undefined): Promise<undefined> {
  if (branch !== undefined) return undefined;
  const heads = await git.run(["ls-remote", "--heads", remote]);
  if (heads.exit_code !== 0) throw unavailable(complaintOf(heads), `check that the remote "${remote}" can be reached`);
  if (heads.stdout.trim() === "") return undefined;
  throw unavailable(
    `the remote "${remote}" does not say which branch is its default`,
    "name it as git.pages_branch in harness-wake.json",
  );
}

/** A checkout is often older than its remote, and a shallow one holds little: fetch what is missing by its id. */
async function requireObjects(git: Git, remote: string, commit: string): Promise<void> {
  const isHere = async (): Promise<boolean> => (await git.run(["rev-parse", "--verify", `${commit}^{commit}`])).exit_code === 0;
  if (await isHere()) return;
  const fetched = await git.run([...FETCH, remote, commit]);
  if (fetched.exit_code !== 0 || !(await isHere())) {
    throw unavailable(complaintOf(fetched), `check that ${commit.slice(0, 12)} can be fetched from "${remote}"`);
  }
}

function unavailable(what: string, remedy: string): JobError {
  return new JobError("TRUTH_UNAVAILABLE", `git cannot say what stands at its head: ${what}. Nothing was changed; ${remedy}`);
}

/** The text of a file in the commit at git HEAD, its path relative to where git runs; undefined where it is not there. */
export async function readFileAtHead(options: GitHeadOptions, path: string): Promise<string | undefined> {
  const commit = await resolveGitHead(options);
  if (commit === undefined) return undefined;
  const shown = await options.git.run(["show", `${commit}:./${path}`]);
  return shown.exit_code === 0 ? shown.stdout : undefined;
}
