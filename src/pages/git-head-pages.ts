import { JobError } from "../errors/job-error.ts";
import { descend } from "../git/committed-path.ts";
import type { Git } from "../git/git.ts";
import { type GitHeadOptions, prefixOf, resolveGitHead } from "../git/git-head.ts";
import { failed, found, type Looked } from "../git/looked.ts";
import { askObjects } from "../git/objects.ts";
import { isRegularFile, type Tree } from "../git/tree.ts";
import type { PageAtHead } from "../job/decide.ts";
import type { PageOracle, PagesAtHead } from "./page-oracle.ts";

export interface GitHeadPagesOptions extends GitHeadOptions {
  /** The pages directory, relative to where git runs: `p`. */
  readonly pagesDirectory: string;
}

/** The id of a file with nothing in it, in either of git's hashes. Known ids save asking for every file's size. */
const EMPTY_BLOBS = [
  "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
  "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
];

/** Pages as the commit at git HEAD holds them; what is only in the work tree, the index or an unpushed commit is not there. */
export class GitHeadPages implements PageOracle {
  readonly #options: GitHeadPagesOptions;

  constructor(options: GitHeadPagesOptions) {
    this.#options = options;
  }

  async atHead(): Promise<PagesAtHead> {
    const commit = await resolveGitHead(this.#options);
    let pages: Promise<Tree> | undefined;
    return {
      states: async (addresses) => {
        pages ??= commit === undefined ? Promise.resolve(NO_PAGES) : this.#pagesOf(commit);
        const tree = await pages;
        return new Map(addresses.map((address) => [address, stateIn(tree, address)]));
      },
    };
  }

  async #pagesOf(commit: string): Promise<Tree> {
    const { git, pagesDirectory } = this.#options;
    const listed = await listPages(git, commit, pagesDirectory);
    if (listed.state === "found") return listed.value;
    if (listed.state === "absent") return NO_PAGES;
    throw new JobError(
      "TRUTH_UNAVAILABLE",
      `git cannot list the pages at ${commit.slice(0, 12)}: ${listed.why}. Nothing was changed`,
    );
  }
}

const NO_PAGES: Tree = new Map();

/** The pages directory of a commit; absent where the trees above it show that it is not there. */
async function listPages(git: Git, commit: string, pagesDirectory: string): Promise<Looked<Tree>> {
  const prefix = await prefixOf(git);
  if (prefix.state !== "found") return prefix;
  return askObjects<Tree>(git, async (objects) => {
    const top = await objects.treeOfCommit(commit);
    if (top.state === "failed") return top;
    if (top.state === "absent") return failed("the commit is not here");
    const descent = await descend(objects, top.value, `${prefix.value}${pagesDirectory}`);
    if (descent.state === "failed") return descent;
    if (descent.state === "obstacle" || descent.value.directory === "absent") return { state: "absent" };
    return found(descent.value.directory);
  });
}

function stateIn(pages: Tree, address: string): PageAtHead {
  const entry = pages.get(`${address}.md`);
  return entry !== undefined && isRegularFile(entry) && !EMPTY_BLOBS.includes(entry.id) ? "durable" : "absent";
}
