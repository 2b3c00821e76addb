import { dirname, relative, sep } from "node:path";
import { CONFIG_FILE, type Config } from "../config/config.ts";
import { repositoriesAbove } from "../config/repository.ts";
import { JobError } from "../errors/job-error.ts";
import type { Git } from "../git/git.ts";
import type { Looked } from "../git/looked.ts";
import { listRemotes, type Remote } from "../git/remote.ts";
import { isSameRepository } from "../git/same-repository.ts";
import type { HoldRule } from "../job/hold.ts";
import { type CommittedConfig, readCommittedConfig } from "./committed-config.ts";
import { liftsAny, liftsBuiltIn, rulesOfCommitted, rulesOfFiles, rulesOfUnreadable } from "./rules.ts";

type ConfiguredHolds = NonNullable<Config["holds"]>;

/** Where an owner's holds are found. */
export interface OwnersFleet {
  /** The top of the repository that holds the jobs directory; neither path has links in it. */
  readonly root: string;
  readonly jobsDirectory: string;
  /** The remote that the config at the root names; undefined for `origin`, if it is there. */
  readonly remote: string | undefined;
  /** The remote on which a git store lives, whoever named it. */
  readonly storeRemote: string;
  /** Throws JobError CONFIG where the owner's committed config keeps the jobs elsewhere than this fleet does. */
  requireSamePlace(committed: Config): void;
  /** Git in a directory, as the store runs it. */
  openGit(directory: string): Git;
  /** The same without the `GIT_CONFIG_*` of the environment, which could send git to another repository. */
  openStrictGit(directory: string): Git;
}

/** The rules under the file store. The committed config is asked for only where the local one claims a lift (contract §5). */
export async function rulesOfFileStore(fleet: OwnersFleet, local: ConfiguredHolds): Promise<readonly HoldRule[]> {
  return rulesOfFiles(local, liftsAny(local) ? await findCommittedHolds(fleet) : []);
}

/** The rules under the git store, where the committed config alone says which holds are added and lifted (contract §5). */
export async function rulesOfGitStore(fleet: OwnersFleet): Promise<readonly HoldRule[]> {
  const committed = await readConfigOfStore(fleet.openGit(fleet.root), fleet.storeRemote);
  if (committed.state === "unfit") return rulesOfUnreadable(committed.why);
  if (committed.state === "found") fleet.requireSamePlace(committed.config);
  const holds = (committed.state === "found" && committed.config.holds) || {};
  const isLifted = liftsBuiltIn(holds) && ((await findCommittedHolds(fleet))?.every(liftsBuiltIn) ?? false);
  return rulesOfCommitted(holds, isLifted);
}

/**
 * Throws JobError CONFIG for a remote that is not there, since a git store has nowhere to live; REMOTE_UNAVAILABLE where it
 * cannot be known which holds were added.
 */
async function readConfigOfStore(git: Git, remote: string): Promise<CommittedConfig> {
  const remotes = await listRemotes(git);
  if (remotes.state !== "failed" && !namesOf(remotes).includes(remote)) {
    const message = `there is no git remote "${remote}" here; add it, or name another as git.remote in ${CONFIG_FILE}`;
    throw new JobError("CONFIG", message, { field: "git.remote" });
  }
  try {
    return await readCommittedConfig(git, remote);
  } catch (error) {
    if (!(error instanceof JobError)) throw error;
    throw new JobError("REMOTE_UNAVAILABLE", `which holds are in force cannot be known: ${error.message}`, { cause: error });
  }
}

/**
 * The holds that the owner committed, as each remote that counts has them; only these may lift a hold. Undefined where one
 * cannot be read, or where it may not be the owner's.
 */
async function findCommittedHolds(fleet: OwnersFleet): Promise<readonly ConfiguredHolds[] | undefined> {
  const git = fleet.openStrictGit(fleet.root);
  try {
    if (await isTrackedFurtherOut(fleet)) return undefined;
    const remotes = await listRemotes(git);
    if (remotes.state === "failed") return undefined;
    const found: ConfiguredHolds[] = [];
    for (const name of remotesThatCount(namesOf(remotes), fleet.remote)) {
      const remote = remotes.state === "found" ? remotes.value.find((one) => one.name === name) : undefined;
      if (remote !== undefined && !(await hasOwnAddress(git, remote))) return undefined;
      const committed = await readCommittedConfig(git, name);
      if (committed.state === "unfit") return undefined;
      found.push((committed.state === "found" && committed.config.holds) || {});
    }
    return found;
  } catch (error) {
    if (error instanceof JobError) return undefined;
    throw error;
  }
}

/**
 * The remote that the local config names, and `origin` too: anyone can edit the local config, so it must not choose alone
 * whose commit lifts a hold. Undefined stands for the local HEAD, where there is no remote.
 */
function remotesThatCount(names: readonly string[], configured: string | undefined): ReadonlySet<string | undefined> {
  const origin = names.includes("origin") ? "origin" : undefined;
  return new Set([configured ?? origin, origin ?? configured]);
}

function namesOf(remotes: Looked<readonly Remote[]>): readonly string[] {
  return remotes.state === "found" ? remotes.value.map(({ name }) => name) : [];
}

/** Whether the address that git uses names the repository that the checkout names: `insteadOf` could replace it. */
async function hasOwnAddress(git: Git, { name, fetchUrl }: Remote): Promise<boolean> {
  const written = await git.run(["config", "--local", "--get", `remote.${name}.url`]);
  return written.exit_code === 0 && isSameRepository(written.stdout.trim(), fetchUrl);
}

/**
 * Whether a repository further out tracks the jobs directory: then the nearer repository was made inside it, and its config
 * is not the owner's.
 */
async function isTrackedFurtherOut({ root, jobsDirectory, openGit }: OwnersFleet): Promise<boolean> {
  for (const outer of repositoriesAbove(dirname(root))) {
    const path = relative(outer, jobsDirectory).replaceAll(sep, "/");
    const listed = await openGit(outer).run(["ls-tree", "--full-tree", "HEAD", "--", path]);
    if (listed.exit_code !== 0 || listed.stdout !== "") return true;
  }
  return false;
}
