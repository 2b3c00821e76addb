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

/** One of several refs of a remote. */
export interface RemoteRef {
  readonly id: string;
  /** The whole name of the ref that it stands for: a remote's HEAD stands for its default branch. */
  readonly standsFor: string | undefined;
}

/**
 * What a remote says of these refs, by their whole names: a ref whose name only ends alike is not one of them. A ref that is
 * not in the answer is shown absent.
 */
export async function askRefs(
  git: Git,
  remote: string,
  names: readonly string[],
): Promise<Looked<ReadonlyMap<string, RemoteRef>>> {
  const listed = await git.run(["ls-remote", "--symref", remote, ...names]);
  if (listed.exit_code !== 0) return failed(complaintOf(listed));
  const ids = new Map<string, string>();
  const targets = new Map<string, string>();
  for (const line of linesOf(listed.stdout)) {
    const [, target, id, name = ""] = /^(?:ref: (\S+)|([0-9a-f]{40}|[0-9a-f]{64}))\t(\S+)$/.exec(line) ?? [];
    if (target !== undefined) targets.set(name, target);
    else if (id !== undefined) ids.set(name, id);
    else return failed(`git ls-remote says "${withoutCredentials(line).slice(0, 200)}"`);
  }
  return found(
    new Map(
      names.flatMap((name) => {
        const id = ids.get(name);
        return id === undefined ? [] : [[name, { id, standsFor: targets.get(name) }] as const];
      }),
    ),
  );
}

export interface DefaultBranch {
  readonly branch: string;
  readonly head: string;
}

const BRANCH = "refs/heads/";

/** A remote's default branch; absent where the remote was seen to have no branch at all. */
export async function askDefaultBranch(git: Git, remote: string): Promise<Looked<DefaultBranch>> {
  const refs = await askRefs(git, remote, ["HEAD"]);
  if (refs.state !== "found") return refs;
  const head = refs.value.get("HEAD");
  if (head?.standsFor?.startsWith(BRANCH)) return found({ branch: head.standsFor.slice(BRANCH.length), head: head.id });
  const branches = await git.run(["ls-remote", "--heads", remote]);
  if (branches.exit_code !== 0) return failed(complaintOf(branches));
  if (head === undefined && branches.stdout.trim() === "") return ABSENT;
  return failed(NO_DEFAULT);
}

/** A remote that answers, but has branches and none of them for its default. */
export const NO_DEFAULT = "it does not say which branch is its default";

function linesOf(text: string): readonly string[] {
  return text.split("\n").filter((line) => line !== "");
}
