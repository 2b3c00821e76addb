import type { Git } from "./git.ts";
import { complaintOf, withoutCredentials } from "./git-words.ts";
import { ABSENT, failed, found, type Looked } from "./looked.ts";
import { isSameRepository } from "./same-repository.ts";

/** A remote as git's configuration names it, with every rewriting of addresses done. */
export interface Remote {
  readonly name: string;
  readonly fetchUrl: string;
  readonly pushUrls: readonly string[];
  /** Whether this clone fetches only part of the remote's objects. */
  readonly isPartial: boolean;
}

/** Every remote of the repository. An address or a path is none, even where git would take it for one. */
export async function listRemotes(git: Git): Promise<Looked<readonly Remote[]>> {
  const listed = await git.run(["remote", "-v"]);
  if (listed.exit_code !== 0) return failed(complaintOf(listed));
  const remotes = new Map<string, { fetchUrl: string | undefined; pushUrls: string[]; isPartial: boolean }>();
  for (const line of linesOf(listed.stdout)) {
    // The filter of a partial clone follows in brackets.
    const [, name, url, use, filter] = /^(.+)\t(.*) \((fetch|push)\)( \[.*\])?$/.exec(line) ?? [];
    if (name === undefined || url === undefined) return failed(`git remote -v says "${withoutCredentials(line)}"`);
    const remote = remotes.get(name) ?? { fetchUrl: undefined, pushUrls: [], isPartial: false };
    if (use === "fetch") Object.assign(remote, { fetchUrl: url, isPartial: filter !== undefined });
    else remote.pushUrls.push(url);
    remotes.set(name, remote);
  }
  if (remotes.size === 0) return noRemotes(git);
  const whole: Remote[] = [];
  for (const [name, { fetchUrl, ...rest }] of remotes) {
    if (fetchUrl === undefined || rest.pushUrls.length === 0) return failed(`git remote -v does not say all of "${name}"`);
    whole.push({ name, fetchUrl, ...rest });
  }
  return found(whole);
}

/** That there is none would send a reader to the local HEAD for the truth, so it is asked in a second way. */
async function noRemotes(git: Git): Promise<Looked<readonly Remote[]>> {
  const asked = await git.run(["config", "--name-only", "--get-regexp", "^remote[.].*[.]url$"]);
  if (asked.exit_code === NO_SUCH_KEY) return found([]);
  return failed(asked.exit_code === 0 ? "git remote -v does not name the remotes that are configured" : complaintOf(asked));
}

const NO_SUCH_KEY = 1;

/** Why a remote cannot be the compare-and-swap of a fleet: what is pushed must be what is fetched (contract §7). */
export function whyNotOne({ name, fetchUrl, pushUrls }: Omit<Remote, "isPartial">): string | undefined {
  const [pushUrl] = pushUrls;
  const told = (url: string): string => withoutCredentials(url);
  if (pushUrl === undefined || pushUrls.length > 1) {
    const all = pushUrls.map(told).join(", ");
    return `the remote "${name}" pushes to ${pushUrls.length} addresses (${all}); give it one (git remote set-url --push)`;
  }
  if (isSameRepository(fetchUrl, pushUrl)) return undefined;
  return `the remote "${name}" fetches from ${told(fetchUrl)} and pushes to ${told(pushUrl)}, which is another repository; name a remote as git.remote that does both in one place`;
}

const BRANCH = "refs/heads/";

interface RemoteRef {
  readonly id: string;
  /** The whole name of the ref that it stands for: a remote's HEAD stands for its default branch. */
  readonly standsFor: string | undefined;
}

/**
 * What a remote says of a ref, by its whole name: a ref whose name only ends alike is another. Absent where the remote
 * answered and did not name it.
 */
async function askRef(git: Git, remote: string, name: string): Promise<Looked<RemoteRef>> {
  const listed = await git.run(["ls-remote", "--symref", remote, name]);
  if (listed.exit_code !== 0) return failed(complaintOf(listed));
  let id: string | undefined;
  let standsFor: string | undefined;
  for (const line of linesOf(listed.stdout)) {
    const [, target, value, of] = /^(?:ref: (\S+)|([0-9a-f]{40}|[0-9a-f]{64}))\t(\S+)$/.exec(line) ?? [];
    if (of === undefined) return failed(`git ls-remote says "${withoutCredentials(line).slice(0, 200)}"`);
    if (of !== name) continue;
    id ??= value;
    standsFor ??= target;
  }
  return id === undefined ? ABSENT : found({ id, standsFor });
}

/** The head of a branch, by the branch's name. */
export async function askBranch(git: Git, remote: string, branch: string): Promise<Looked<string>> {
  const ref = await askRef(git, remote, `${BRANCH}${branch}`);
  return ref.state === "found" ? found(ref.value.id) : ref;
}

export interface DefaultBranch {
  readonly branch: string;
  readonly head: string;
}

/** A remote's default branch; absent where the remote was seen to have no branch at all. */
export async function askDefaultBranch(git: Git, remote: string): Promise<Looked<DefaultBranch>> {
  const head = await askRef(git, remote, "HEAD");
  if (head.state === "failed") return head;
  if (head.state === "found" && head.value.standsFor?.startsWith(BRANCH))
    return found({ branch: head.value.standsFor.slice(BRANCH.length), head: head.value.id });
  const branches = await git.run(["ls-remote", "--heads", remote]);
  if (branches.exit_code !== 0) return failed(complaintOf(branches));
  if (head.state === "absent" && branches.stdout.trim() === "") return ABSENT;
  return failed(NO_DEFAULT);
}

/** A remote that answers, but has branches and none of them for its default. */
export const NO_DEFAULT = "it does not say which branch is its default";

function linesOf(text: string): readonly string[] {
  return text.split("\n").filter((line) => line !== "");
}
